import type { ChosenMessage, Space } from '../transport/api';
import type { MessagePlace } from './shown';

export type Dialog = 'palette' | 'keyboard' | 'import' | null;

/** The worktree being shown, and what to do with its space afterwards. */
export interface WorktreeView {
  id: string;
  next: { what: 'archive' | 'delete'; space: Space } | null;
}

/** What to export: a space, around one of its messages or a range of them. Unused ids are ''. */
export interface Exporting {
  spaceId: string;
  messageId: string;
  lastId: string;
  /** Export these messages of any spaces instead of a space. */
  places?: readonly ChosenMessage[];
}

/** Which dialogs are open. */
export interface DialogState {
  open: Dialog;
  /** The space to confirm deleting, and the agent that stored a session for it. */
  deleting: { space: Space; agent: string } | null;
  /** The prompt since which to undo everything, while the dialog is open. */
  undoSince: MessagePlace | null;
  worktree: WorktreeView | null;
  /** The space whose accepted changes are being committed; the prompt is used to propose the message. */
  commit: { spaceId: string; prompt: string } | null;
  /** The spaces whose tags are edited; empty for managing the tags themselves. */
  tags: readonly string[] | null;
  exporting: Exporting | null;
  /** Number of working agents while the user is asked whether to close the window. */
  closing: number | null;
  /** Initial folder for the new-space form, if it was chosen elsewhere. */
  beginIn: string | null;
}

export const noDialogs: DialogState = {
  open: null,
  deleting: null,
  undoSince: null,
  worktree: null,
  commit: null,
  tags: null,
  exporting: null,
  closing: null,
  beginIn: null,
};
