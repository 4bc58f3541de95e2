import { keys } from '../cache/keys';
import type { Weft } from '../state/weft';
import type { Request } from '../transport/api';

// Spaces, their members and folders. What a command answers of a space is taken over at once.

export type { ImportedConversation, ImportReport } from '../transport/imports';
export { importFile } from '../transport/imports';

export async function addMember(weft: Weft, request: Request<'AddMember'>): Promise<void> {
  weft.put(await weft.transport.call('AddMember', request));
}

export async function updateMember(weft: Weft, request: Request<'UpdateMember'>): Promise<void> {
  weft.put(await weft.transport.call('UpdateMember', request));
}

export async function removeMember(weft: Weft, request: Request<'RemoveMember'>): Promise<void> {
  weft.put(await weft.transport.call('RemoveMember', request));
}

/** Continues a conversation that an agent has kept by itself, in a space that is shown then. */
export async function importSession(weft: Weft, request: Request<'ImportSession'>): Promise<void> {
  weft.enter(await weft.transport.call('ImportSession', request));
}

/** Has an agent delete a conversation that it has kept by itself. */
export function forgetSession(weft: Weft, agentId: string, sessionId: string) {
  return weft.transport.call('ForgetSession', { agentId, sessionId });
}

/** Asks for a folder with the dialog of the desktop; empty where the user has chosen none. */
export async function pickFolder(weft: Weft, path: string): Promise<string> {
  return (await weft.transport.call('PickFolder', { path })).path;
}

export function readSpaceFile(weft: Weft, spaceId: string, path: string, line: number) {
  return weft.transport.call('ReadSpaceFile', { spaceId, path, line });
}

export async function removeWorktree(weft: Weft, request: Request<'RemoveWorktree'>) {
  const removed = await weft.transport.call('RemoveWorktree', request);
  // No event tells of it.
  weft.outdated(keys.worktrees);
  return removed;
}
