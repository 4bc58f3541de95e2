/** Describes a section without importing its components, which the tests should not have to load. */
export interface Shape {
  /** `flow`: components below each other at their natural height. `screen`: the whole window, or an overlay on it. */
  kind: 'flow' | 'screen';
  /** The widths at which screenshots are taken: several if the layout changes. In the dark theme, only one of them. */
  widths: readonly number[];
  /** Text or selector that exists once the section is drawn. */
  shows: string;
  /** More of the same; some of it appears later. All of it must exist. */
  also?: readonly string[];
  /** The part that the screenshot shows. Defaults to the whole window. */
  part?: string;
  /** Its screenshots contain images that use system fonts. */
  systemLetters?: true;
}

const flow: Shape = { kind: 'flow', widths: [1100], shows: '.gallery-specimen', part: '.gallery' };
// Narrow, and as wide as a column gets.
const flows: Shape = { ...flow, widths: [390, 1100] };
const screen = (shows: string): Shape => ({ kind: 'screen', widths: [1100], shows });
const layout = (shows: string): Shape => ({ kind: 'screen', widths: [760, 1720], shows });
const narrow = (shows: string): Shape => ({ kind: 'screen', widths: [390, 760, 1720], shows });
const part = (shows: string): Shape => ({ kind: 'screen', widths: [1100], shows, part: shows });
const setting: Shape = {
  ...{ kind: 'screen', widths: [1100] },
  ...{ shows: '.settings-part', part: '[data-section-view]' },
};

/** The sections of the gallery in the order of the list. */
export const shapes = {
  controls: flow,
  tips: { ...flow, shows: '.tooltip', part: 'body' },
  states: flow,
  sidebar: flow,
  prose: flows,
  math: { ...flow, also: ['.md-math[data-md-drawn]', '.md-place'] },
  diagrams: { ...flow, also: ['.md-diagram img', '.md-diagram-error'], systemLetters: true },
  prompts: flow,
  calls: flow,
  groups: flow,
  thoughts: flow,
  changes: flow,
  terminals: flow,
  writing: flow,
  footers: { ...flows, also: ['.run-footer-actions'] },
  errors: flows,
  ends: flow,
  requests: flows,
  questions: flow,
  'displays-open': flow,
  'displays-answered': flow,
  'displays-shown': flow,
  composer: { ...flows, also: ['.queue-resume'] },
  files: { ...flow, also: ['.file-image img', '.follow-line[data-at]'] },
  space: narrow('.transcript .row'),
  'space-empty': { ...screen('.greeting, .suggestions'), part: '.space-view' },
  'space-loading': { ...screen('.skeleton div'), part: '.space-view' },
  'space-failed': part('.space-view'),
  'space-archived': { ...narrow('.archived-note'), part: '.space-view' },
  find: { ...narrow('.find-count:not(:empty)'), widths: [390, 1100] },
  'first-start': narrow('.agent-choice'),
  'first-none': { ...screen('.start-card'), part: '.new-space-page' },
  'new-space': layout('.agent-choice'),
  'start-failed': screen('.page-center'),
  'start-impossible': screen('.page-center'),
  'start-refused': screen('.page-center'),
  problems: screen('.greeting, .suggestions'),
  inbox: narrow('.triage-row'),
  'inbox-reading': { ...narrow('.triage-pane .permission'), widths: [390] },
  'inbox-failed': { ...screen('.triage-pane .error-block'), part: '.triage' },
  'inbox-finished': { ...screen('.triage-lines .row'), part: '.triage' },
  'inbox-reply': { ...screen('.triage-reply'), part: '.triage' },
  'inbox-empty': { ...screen('.triage-empty'), part: '.triage' },
  'settings-agents': narrow('.agent-list li'),
  'settings-mcp': setting,
  'settings-tools': setting,
  'settings-calls': setting,
  'settings-worktrees': setting,
  'settings-import': setting,
  'settings-import-running': setting,
  'settings-backups': setting,
  'settings-backups-failed': setting,
  'settings-updates': { ...setting, shows: '.update-notes p' },
  'settings-updates-none': setting,
  'settings-updates-downloading': setting,
  'settings-updates-checking': setting,
  'settings-updates-restarting': setting,
  'settings-updates-waiting': setting,
  'settings-updates-ready': setting,
  'settings-updates-failed': setting,
  'settings-updates-package': setting,
  'settings-updates-unable': setting,
  'update-asked': part('.update-notice'),
  'update-noticed': part('.update-notice'),
  'update-ready': part('.update-notice'),
  'update-waiting': part('.update-notice'),
  'update-back': part('.update-notice'),
  'settings-import-done': setting,
  'import-offer': { ...screen('.import-offer'), part: '.new-space-page' },
  'settings-permissions': setting,
  'settings-history': setting,
  'settings-secrets': setting,
  'settings-appearance': setting,
  'settings-background': { ...setting, shows: '#settings-at-login' },
  'settings-background-failed': { ...setting, shows: '#settings-at-login' },
  'settings-editor': setting,
  'settings-editor-none': setting,
  'settings-editor-custom': setting,
  'settings-about': setting,
  'settings-notices': { ...setting, shows: '.notice-text' },
  'settings-search': { ...screen('.search-result'), part: '.settings-screen' },
  'agent-form': part('.dialog'),
  registry: layout('.registry-below .facts'),
  'panel-changes': layout('.change-hunk'),
  'panel-changes-split': part('.changes'),
  'panel-changes-empty': part('.changes'),
  'panel-branches': part('.side'),
  search: narrow('.search-line'),
  'search-empty': screen('.search-guide'),
  'panel-outline': { ...part('.side'), also: ['.outline-entry'] },
  'panel-outline-empty': part('.side'),
  'outline-rail': { ...layout('.rail-tick'), widths: [1720] },
  'panel-members': part('.side'),
  'panel-run': part('.side'),
  'panel-log': part('.log'),
  'panel-follow': part('.follow'),
  'panel-file': { ...part('.side'), also: ['.follow-line[data-at]'] },
  palette: part('.palette'),
  keyboard: part('.dialog'),
  import: part('.dialog'),
  export: part('.dialog'),
  'export-message': part('.dialog'),
  'export-states': flows,
  delete: part('.dialog'),
  worktree: part('.dialog'),
  close: part('.dialog'),
  undo: part('.dialog'),
  commit: { ...part('.dialog'), also: ['.commit-files'] },
  'commit-nothing': { ...part('.dialog'), also: ['.dialog-foot'] },
  folder: part('.dialog'),
  earlier: part('.dialog'),
  tags: part('.tags-dialog'),
  'tags-none': part('.tags-dialog'),
  'tags-manage': { ...part('.tags-dialog'), also: ['.tags-edit'] },
  'menu-view': part('.menu'),
  'menu-space': part('.menu'),
  'menu-panels': part('.menu'),
  'menu-mode': part('.menu'),
  'menu-model': part('.menu'),
  'menu-usage': part('.menu'),
  toasts: screen('[data-sonner-toast]'),
} as const satisfies Record<string, Shape>;

export type SectionName = keyof typeof shapes;

export const sectionNames = Object.keys(shapes) as SectionName[];

export function isSection(name: string | null): name is SectionName {
  return name !== null && name in shapes;
}
