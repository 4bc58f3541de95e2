import type { ChosenMessage, Space } from '../transport/api';
import type { MessagePlace } from './shown';

export type Dialog = 'palette' | 'keyboard' | 'import' | null;

/** The worktree that is looked at, and what is to be done with its space after that. */
export interface WorktreeView {
  id: string;
  next: { what: 'archive' | 'delete'; space: Space } | null;
}

/** What is asked to be exported: a space, around one of its messages or from one to another. Ids are '' where there is none. */
export interface Exporting {
  spaceId: string;
  messageId: string;
  lastId: string;
  /** These messages of any spaces, in place of a space. */
  places?: readonly ChosenMessage[];
}

/** Which dialogs are open. */
export interface DialogState {
  open: Dialog;
  /** The space that the user is asked about before it is deleted, and the agent that has kept it, too. */
  deleting: { space: Space; agent: string } | null;
  /** The prompt since which everything may be undone, while that is asked. */
  undoSince: MessagePlace | null;
  worktree: WorktreeView | null;
  /** The space whose accepted changes are being committed; the prompt is what the message is proposed from. */
  commit: { spaceId: string; prompt: string } | null;
  /** The spaces whose tags are chosen; none of them where only the tags themselves are looked after. */
  tags: readonly string[] | null;
  exporting: Exporting | null;
  /** How many agents are working while the user is asked whether the window is closed. */
  closing: number | null;
  /** The folder that the form of a new space begins with, where it was chosen elsewhere. */
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
