import type { ComponentType } from 'react';
import * as asked from './sections/asked';
import * as controls from './sections/controls';
import * as lists from './sections/lists';
import * as talks from './sections/talks';
import * as windows from './sections/windows';
import * as writing from './sections/writing';
import type { SectionName } from './shapes';

export interface Section {
  title: string;
  View: ComponentType;
}

/** A section of the gallery is one page, of which one picture is taken for each theme and width. */
export const sections: Readonly<Record<SectionName, Section>> = {
  controls: { title: 'Controls', View: controls.Controls },
  tips: { title: 'Tips', View: controls.Tips },
  states: { title: 'States', View: lists.States },
  sidebar: { title: 'Rows of the sidebar', View: lists.SidebarRows },
  prose: { title: 'Prose', View: talks.Prose },
  prompts: { title: 'Prompts', View: talks.Prompts },
  calls: { title: 'Tool calls', View: talks.Calls },
  groups: { title: 'Groups of calls', View: talks.Groups },
  thoughts: { title: 'Thoughts', View: talks.Thoughts },
  changes: { title: 'Changes in calls', View: talks.Changes },
  terminals: { title: 'Terminals', View: talks.Terminals },
  writing: { title: 'Calls that are written', View: talks.Writing },
  errors: { title: 'Errors and ends', View: talks.Errors },
  requests: { title: 'Permission requests', View: asked.Requests },
  questions: { title: 'Questions', View: asked.Questions },
  'displays-open': { title: 'Displays that wait', View: asked.DisplaysOpen },
  'displays-answered': { title: 'Displays that were answered', View: asked.DisplaysAnswered },
  'displays-shown': { title: 'Displays', View: asked.DisplaysShown },
  composer: { title: 'Composer', View: writing.Composers },
  space: { title: 'A space', View: windows.Space },
  'space-empty': { title: 'A space in which nothing was said', View: windows.SpaceEmpty },
  'space-loading': { title: 'A space that is loading', View: windows.SpaceLoading },
  'space-failed': { title: 'A space that can’t be opened', View: windows.SpaceFailed },
  'first-start': { title: 'The first start', View: windows.First },
  'new-space': { title: 'A new space', View: windows.NewSpace },
  'start-failed': { title: 'A start that failed', View: windows.Failed },
  'start-refused': { title: 'A page without its link', View: windows.Refused },
  problems: { title: 'Problems of Weft itself', View: windows.Problems },
  'settings-agents': { title: 'Settings: agents', View: windows.Agents },
  'settings-mcp': { title: 'Settings: MCP servers', View: windows.Mcp },
  'settings-tools': { title: 'Settings: own tools', View: windows.OwnTools },
  'settings-calls': { title: 'Settings: tool calls', View: windows.CallRules },
  'settings-worktrees': { title: 'Settings: worktrees', View: windows.Worktrees },
  'settings-permissions': { title: 'Settings: permission rules', View: windows.Permissions },
  'settings-history': { title: 'Settings: permission history', View: windows.History },
  'settings-secrets': { title: 'Settings: secrets', View: windows.Secrets },
  'settings-appearance': { title: 'Settings: appearance', View: windows.Appearance },
  'settings-about': { title: 'Settings: about', View: windows.About },
  'agent-form': { title: 'The form of an agent', View: windows.AgentForm },
  registry: { title: 'Registry', View: windows.Registry },
  'panel-changes': { title: 'Panel: changes', View: windows.Changes },
  'panel-branches': { title: 'Panel: branches', View: windows.Branches },
  'panel-members': { title: 'Panel: members', View: windows.Members },
  'panel-run': { title: 'Panel: run', View: windows.Run },
  'panel-log': { title: 'Panel: protocol log', View: windows.Log },
  'panel-follow': { title: 'Panel: followed file', View: windows.Follow },
  palette: { title: 'Commands', View: windows.Palette },
  keyboard: { title: 'Keyboard shortcuts', View: windows.Keyboard },
  import: { title: 'Import', View: windows.Import },
  delete: { title: 'Deleting a space', View: windows.Delete },
  worktree: { title: 'A worktree', View: windows.WorktreeDialog },
  undo: { title: 'Undoing since a prompt', View: windows.Undo },
  folder: { title: 'Choosing a folder', View: windows.Folder },
  earlier: { title: 'Earlier conversations', View: windows.Earlier },
  'menu-space': { title: 'Menu of a space', View: windows.SpaceMenu },
  'menu-panels': { title: 'Menu of panels', View: windows.PanelsMenu },
  'menu-mode': { title: 'Menu of permission modes', View: windows.ModeMenu },
  'menu-model': { title: 'Menu of models', View: windows.ModelMenu },
  'menu-usage': { title: 'Usage', View: windows.UsageMenu },
  toasts: { title: 'Toasts', View: windows.Toasts },
};
