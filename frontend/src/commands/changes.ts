import { keys } from '../cache/keys';
import type { Weft } from '../state/weft';
import type { Pick, Request } from '../transport/api';

// Commands for files that agents changed.

export function acceptChanges(weft: Weft, spaceId: string, picks: Pick[]) {
  return weft.transport.call('AcceptChanges', { spaceId, picks });
}

export function rejectChanges(weft: Weft, spaceId: string, picks: Pick[]) {
  return weft.transport.call('RejectChanges', { spaceId, picks });
}

/** Undoes all changes since a prompt. */
export function undoSince(weft: Weft, request: Request<'UndoSince'>) {
  return weft.transport.call('UndoSince', request);
}

/** Commits the accepted changes of the chosen files. */
export async function commitAccepted(weft: Weft, request: Request<'CommitAccepted'>) {
  const made = await weft.transport.call('CommitAccepted', request);
  weft.outdated(keys.accepted(request.spaceId));
  return made;
}

/** Restores what was rejected or undone, by its number. */
export function redoChanges(weft: Weft, spaceId: string, turn: number) {
  return weft.transport.call('RedoChanges', { spaceId, turn });
}

/** Puts what was accepted last in files back into the review. */
export function reopenChanges(weft: Weft, spaceId: string, paths: readonly string[]) {
  return weft.transport.call('ReopenChanges', { spaceId, paths: [...paths] });
}

/** Pushes the current branch. */
export function pushBranch(weft: Weft, spaceId: string) {
  return weft.transport.call('PushBranch', { spaceId });
}
