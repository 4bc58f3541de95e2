import { keys } from '../cache/keys';
import type { Weft } from '../state/weft';
import type { Pick, Request } from '../transport/api';

// What becomes of what agents have changed in files.

export function acceptChanges(weft: Weft, spaceId: string, picks: Pick[]) {
  return weft.transport.call('AcceptChanges', { spaceId, picks });
}

export function rejectChanges(weft: Weft, spaceId: string, picks: Pick[]) {
  return weft.transport.call('RejectChanges', { spaceId, picks });
}

/** Undoes what was changed since a prompt. */
export function undoSince(weft: Weft, request: Request<'UndoSince'>) {
  return weft.transport.call('UndoSince', request);
}

/** Commits what was accepted of the chosen files. */
export async function commitAccepted(weft: Weft, request: Request<'CommitAccepted'>) {
  const made = await weft.transport.call('CommitAccepted', request);
  weft.outdated(keys.accepted(request.spaceId));
  return made;
}

/** Takes back what was rejected or undone, by its number. */
export function redoChanges(weft: Weft, spaceId: string, turn: number) {
  return weft.transport.call('RedoChanges', { spaceId, turn });
}

/** Pushes the branch that is checked out. */
export function pushBranch(weft: Weft, spaceId: string) {
  return weft.transport.call('PushBranch', { spaceId });
}
