import type { ComponentType } from 'react';
import * as asked from './sections/asked';
import * as controls from './sections/controls';
import * as dialogs from './sections/dialogs';
import * as errors from './sections/errors';
import * as files from './sections/files';
import * as inbox from './sections/inbox';
import * as lists from './sections/lists';
import * as panels from './sections/panels';
import * as rich from './sections/rich';
import * as runs from './sections/runs';
import * as settings from './sections/settings';
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
  math: { title: 'Formulas, folds and files in prose', View: rich.Rich },
  diagrams: { title: 'Diagrams in prose', View: rich.Diagrams },
  prompts: { title: 'Prompts', View: talks.Prompts },
  calls: { title: 'Tool calls', View: talks.Calls },
  groups: { title: 'Groups of calls', View: talks.Groups },
  thoughts: { title: 'Thoughts', View: talks.Thoughts },
  changes: { title: 'Changes in calls', View: talks.Changes },
  terminals: { title: 'Terminals', View: talks.Terminals },
  writing: { title: 'Calls that are written', View: talks.Writing },
  footers: { title: 'What a turn has done', View: runs.Footers },
  errors: { title: 'Errors, by what helps', View: errors.ErrorKinds },
  ends: { title: 'Ends of turns', View: errors.Errors },
  requests: { title: 'Permission requests', View: asked.Requests },
  questions: { title: 'Questions', View: asked.Questions },
  'displays-open': { title: 'Displays that wait', View: asked.DisplaysOpen },
  'displays-answered': { title: 'Displays that were answered', View: asked.DisplaysAnswered },
  'displays-shown': { title: 'Displays', View: asked.DisplaysShown },
  composer: { title: 'Composer', View: writing.Composers },
  files: { title: 'Preview of files', View: files.Files },
  space: { title: 'A space', View: windows.Space },
  'space-empty': { title: 'A space in which nothing was said', View: windows.SpaceEmpty },
  'space-loading': { title: 'A space that is loading', View: windows.SpaceLoading },
  'space-failed': { title: 'A space that can’t be opened', View: windows.SpaceFailed },
  'space-archived': { title: 'A space that is archived', View: windows.SpaceArchived },
  find: { title: 'Finding in a conversation', View: windows.Find },
  'first-start': { title: 'The first start', View: windows.First },
  'first-none': { title: 'The first start, without an agent', View: windows.FirstNone },
  'new-space': { title: 'A new space', View: windows.NewSpace },
  'start-failed': { title: 'A start that failed', View: windows.Failed },
  'start-refused': { title: 'A page without its link', View: windows.Refused },
  problems: { title: 'Problems of Weft itself', View: windows.Problems },
  inbox: { title: 'Inbox: a request', View: inbox.Inbox },
  'inbox-reading': { title: 'Inbox: a request in a narrow window', View: inbox.InboxReading },
  'inbox-failed': { title: 'Inbox: a turn that failed', View: inbox.InboxFailed },
  'inbox-finished': { title: 'Inbox: a turn that ended', View: inbox.InboxFinished },
  'inbox-reply': { title: 'Inbox: a reply is asked for', View: inbox.InboxReply },
  'inbox-empty': { title: 'Inbox: nothing waits', View: inbox.InboxEmpty },
  'settings-agents': { title: 'Settings: agents', View: settings.Agents },
  'settings-mcp': { title: 'Settings: MCP servers', View: settings.Mcp },
  'settings-tools': { title: 'Settings: own tools', View: settings.OwnTools },
  'settings-calls': { title: 'Settings: tool calls', View: settings.CallRules },
  'settings-worktrees': { title: 'Settings: worktrees', View: settings.Worktrees },
  'settings-backups': { title: 'Settings: backups', View: settings.Backups },
  'settings-backups-failed': { title: 'Settings: a backup failed', View: settings.BackupsFailed },
  'settings-import': { title: 'Settings: import', View: settings.Import },
  'settings-import-running': { title: 'Settings: import in progress', View: settings.ImportRunning },
  'settings-import-done': { title: 'Settings: import that has ended', View: settings.ImportDone },
  'import-offer': { title: 'First start: conversations found', View: settings.ImportOffered },
  'settings-permissions': { title: 'Settings: permission rules', View: settings.Permissions },
  'settings-history': { title: 'Settings: permission history', View: settings.History },
  'settings-secrets': { title: 'Settings: secrets', View: settings.Secrets },
  'settings-appearance': { title: 'Settings: appearance', View: settings.Appearance },
  'settings-editor': { title: 'Settings: editor', View: settings.Editor },
  'settings-editor-none': { title: 'Settings: no editor', View: settings.EditorNone },
  'settings-editor-custom': { title: 'Settings: an editor of one’s own', View: settings.EditorCustom },
  'settings-about': { title: 'Settings: about', View: settings.About },
  'settings-notices': { title: 'Settings: third-party notices', View: settings.Notices },
  'settings-search': { title: 'Settings: search', View: settings.Search },
  'agent-form': { title: 'The form of an agent', View: settings.AgentForm },
  registry: { title: 'Registry', View: settings.Registry },
  'panel-changes': { title: 'Panel: changes', View: panels.Changes },
  'panel-changes-split': { title: 'Panel: changes side by side', View: panels.ChangesSplit },
  'panel-changes-empty': { title: 'Panel: no changes', View: panels.ChangesEmpty },
  'panel-branches': { title: 'Panel: branches', View: panels.Branches },
  search: { title: 'Search of all spaces', View: windows.Search },
  'search-empty': { title: 'Search of all spaces, before a query', View: windows.SearchEmpty },
  'panel-outline': { title: 'Panel: outline', View: panels.Outline },
  'panel-outline-empty': { title: 'Panel: outline, empty', View: panels.OutlineEmpty },
  'outline-rail': { title: 'Rail of the outline', View: panels.OutlineRail },
  'panel-members': { title: 'Panel: members', View: panels.Members },
  'panel-run': { title: 'Panel: run', View: panels.Run },
  'panel-log': { title: 'Panel: protocol log', View: panels.Log },
  'panel-follow': { title: 'Panel: followed file', View: panels.Follow },
  'panel-file': { title: 'Panel: a file', View: panels.File },
  palette: { title: 'Commands', View: dialogs.Palette },
  keyboard: { title: 'Keyboard shortcuts', View: dialogs.Keyboard },
  import: { title: 'Import', View: dialogs.Import },
  export: { title: 'Export', View: dialogs.Export },
  'export-message': { title: 'Exporting a message', View: dialogs.ExportMessage },
  'export-states': { title: 'What becomes of an export', View: lists.ExportStates },
  delete: { title: 'Deleting a space', View: dialogs.Delete },
  worktree: { title: 'A worktree', View: dialogs.WorktreeDialog },
  undo: { title: 'Undoing since a prompt', View: dialogs.Undo },
  commit: { title: 'Committing what was accepted', View: dialogs.Commit },
  'commit-nothing': { title: 'Committing where nothing was accepted', View: dialogs.CommitNothing },
  folder: { title: 'Choosing a folder', View: dialogs.Folder },
  earlier: { title: 'Earlier conversations', View: dialogs.Earlier },
  tags: { title: 'Tags of spaces', View: dialogs.Tags },
  'tags-none': { title: 'Tags where there are none', View: dialogs.TagsNone },
  'tags-manage': { title: 'A tag that is edited', View: dialogs.TagsManage },
  'menu-view': { title: 'Menu of the list of spaces', View: dialogs.ViewMenu },
  'menu-space': { title: 'Menu of a space', View: dialogs.SpaceMenu },
  'menu-panels': { title: 'Menu of panels', View: dialogs.PanelsMenu },
  'menu-mode': { title: 'Menu of permission modes', View: dialogs.ModeMenu },
  'menu-model': { title: 'Menu of models', View: dialogs.ModelMenu },
  'menu-usage': { title: 'Usage', View: dialogs.UsageMenu },
  toasts: { title: 'Toasts', View: windows.Toasts },
};
