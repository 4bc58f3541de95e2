/** What a section is, without what draws it: the tests must not have to load that. */
export interface Shape {
  /** `flow`: components below each other, as high as they are. `screen`: the whole window, or what lies over it. */
  kind: 'flow' | 'screen';
  /** The widths at which pictures are taken: several where the layout changes. */
  widths: readonly number[];
  /** What is there once the section is drawn. */
  shows: string;
  /** What a picture is taken of; the whole window if it is left out. */
  part?: string;
}

const widths = [760, 1100, 1720];
const flow: Shape = { kind: 'flow', widths: [1100], shows: '.gallery-specimen', part: '.gallery' };
const flows: Shape = { ...flow, widths };
const screen = (shows: string): Shape => ({ kind: 'screen', widths: [1100], shows });
const layout = (shows: string): Shape => ({ kind: 'screen', widths, shows });
const part = (shows: string): Shape => ({ kind: 'screen', widths: [1100], shows, part: shows });

/** The sections of the gallery, in the order in which they are listed. */
export const shapes = {
  controls: flow,
  tips: { ...flow, shows: '.hint', part: 'body' },
  states: flow,
  sidebar: flow,
  prose: flows,
  prompts: flow,
  calls: flow,
  groups: flow,
  thoughts: flow,
  changes: flow,
  terminals: flow,
  writing: flow,
  errors: flow,
  requests: flows,
  questions: flow,
  'displays-open': flow,
  'displays-answered': flow,
  'displays-shown': flow,
  composer: flows,
  space: layout('.transcript .row'),
  'space-empty': screen('.greeting, .asks'),
  'space-loading': screen('.skeleton div'),
  'space-failed': part('.space-view'),
  'first-start': screen('.agent-choice'),
  'new-space': layout('.agent-choice'),
  'start-failed': screen('.page-center'),
  'start-refused': screen('.page-center'),
  problems: screen('.transcript .row'),
  'settings-agents': layout('.agent-list li'),
  'settings-mcp': part('.settings-part'),
  'settings-tools': part('.settings-part'),
  'settings-calls': part('.settings-part'),
  'settings-worktrees': part('.settings-part'),
  'settings-permissions': part('.settings-part'),
  'settings-history': part('.settings-part'),
  'settings-secrets': part('.settings-part'),
  'settings-appearance': part('.settings-part'),
  'settings-about': part('.settings-part'),
  'agent-form': part('.dialog'),
  registry: layout('.registry-below .facts'),
  'panel-changes': layout('.change-hunk'),
  'panel-branches': part('.side'),
  'panel-members': part('.side'),
  'panel-run': part('.side'),
  'panel-log': part('.log'),
  'panel-follow': part('.follow'),
  palette: part('.palette'),
  keyboard: part('.dialog'),
  import: part('.dialog'),
  delete: part('.dialog'),
  worktree: part('.dialog'),
  undo: part('.dialog'),
  folder: part('.dialog'),
  earlier: part('.dialog'),
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
