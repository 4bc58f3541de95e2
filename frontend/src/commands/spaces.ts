import { keys } from '../cache/keys';
import { t } from '../i18n';
import { told } from '../i18n/said';
import { say, sayUndoable } from '../state/notify';
import { writeKept } from '../state/ui';
import type { Weft } from '../state/weft';
import type { PermissionMode, Request, Space } from '../transport/api';

// Spaces, their members and folders. What a command answers of a space is taken over at once.

export type { ImportedConversation, ImportReport } from '../transport/imports';
export { importFile } from '../transport/imports';

/** Makes a space and shows it, unless the user has gone elsewhere meanwhile. The next one begins with the same agent and folder. */
export async function createSpace(
  weft: Weft,
  agentId: string,
  folder: string,
  {
    draft = '',
    ...more
  }: Pick<Request<'CreateSpace'>, 'words' | 'worktree' | 'members' | 'noFolder'> & {
    /** What is in the composer of the space. */
    draft?: string;
  } = {},
): Promise<Space> {
  const enter = weft.entering();
  const space = await weft.transport.call('CreateSpace', { agentId, folder, title: '', ...more });
  const agent = weft.server.get().agents.find(({ id }) => id === agentId);
  writeKept({
    ...(agent !== undefined && { lastAgent: { id: agent.id, name: agent.name } }),
    ...(more.noFolder !== true && { lastFolder: folder }),
  });
  if (draft !== '') weft.drafts.begin(space.id, draft);
  enter(space);
  return space;
}

/** Makes a branch and shows it. */
export async function branchSpace(weft: Weft, request: Request<'Branch'>): Promise<void> {
  const enter = weft.entering();
  enter(await weft.transport.call('Branch', request));
}

export function renameSpace(weft: Weft, spaceId: string, title: string): Promise<void> {
  return weft.attempt(t('failed.rename'), async () => {
    const take = weft.changing(spaceId);
    take(await weft.transport.call('UpdateSpace', { spaceId, title }));
  });
}

/** Lets a space work in another folder, as long as its agents have not answered. */
export async function setFolder(weft: Weft, spaceId: string, folder: string): Promise<void> {
  const take = weft.changing(spaceId);
  take(await weft.transport.call('UpdateSpace', { spaceId, folder }));
}

export function setPermissions(weft: Weft, spaceId: string, permissions: PermissionMode): Promise<void> {
  return weft.attempt(t('failed.permissions'), async () => {
    const take = weft.changing(spaceId);
    take(await weft.transport.call('UpdateSpace', { spaceId, permissions }));
  });
}

/** Notes that the user has seen how the runs of a space ended. */
export async function markSeen(weft: Weft, spaceId: string): Promise<void> {
  const spaces = weft.server
    .get()
    .spaces.map((one) => (one.id === spaceId ? { ...one, unseen: false } : one));
  weft.server.set({ spaces });
  // Where it is not noted, it shows again: that is all.
  await weft.transport.call('MarkSeen', { spaceId }).catch(() => {});
}

/** Archives a space. One in a worktree of its own is asked about that first, unless it is decided. */
export async function archiveSpace(
  weft: Weft,
  space: Space,
  archived: boolean,
  decided = false,
): Promise<void> {
  if (archived && space.worktree !== null && !decided) {
    weft.dialogs.set({ worktree: { id: space.worktree.id, next: { what: 'archive', space } } });
    return;
  }
  return weft.attempt(t('failed.archive'), async () => {
    const take = weft.changing(space.id);
    take(await weft.transport.call('UpdateSpace', { spaceId: space.id, archived }));
    if (archived)
      sayUndoable(t('space.archived', { title: space.title }), () => void archiveSpace(weft, space, false));
  });
}

/** Deletes a space; see archiveSpace. Where its agent could delete what it has kept of it, the user is asked. */
export async function removeSpace(weft: Weft, space: Space, decided = false): Promise<void> {
  if (space.worktree !== null && !decided) {
    weft.dialogs.set({ worktree: { id: space.worktree.id, next: { what: 'delete', space } } });
    return;
  }
  return weft.attempt(t('failed.delete'), async () => {
    const kept = await weft.transport.call('AgentCopies', { spaceId: space.id });
    if (kept.sessions > 0) weft.dialogs.set({ deleting: { space, agent: kept.agentName } });
    else await removeSpaceNow(weft, space, false);
  });
}

/** Deletes a space without asking anything. */
export async function removeSpaceNow(weft: Weft, space: Space, atAgent: boolean): Promise<void> {
  const { left } = await weft.transport.call('DeleteSpace', { spaceId: space.id, atAgent });
  weft.drop(space.id);
  sayUndoable(t('space.deleted', { title: space.title }), () => void restoreSpace(weft, space));
  if (left !== '') say(t('deleteSpace.left', { why: told(left) }));
}

export function restoreSpace(weft: Weft, space: Space): Promise<void> {
  const enter = weft.entering();
  return weft.attempt(t('failed.restore'), async () =>
    enter(await weft.transport.call('RestoreSpace', { spaceId: space.id })),
  );
}

/** Stops all that work in a space, or one member. */
export function stopSpace(weft: Weft, spaceId: string, memberId = ''): Promise<void> {
  weft.opened(spaceId)?.markStopping(memberId);
  return weft.attempt(t('failed.stop'), () => weft.transport.call('StopRun', { spaceId, memberId }));
}

/** Stops one run, whatever space it works in, from a space that it writes to. */
export function stopRun(weft: Weft, spaceId: string, runId: string): Promise<void> {
  weft.opened(spaceId)?.markStopping('', runId);
  return weft.attempt(t('failed.stop'), () =>
    weft.transport.call('StopRun', { spaceId, memberId: '', runId }),
  );
}

export async function addMember(weft: Weft, request: Request<'AddMember'>): Promise<void> {
  const take = weft.changing(request.spaceId);
  take(await weft.transport.call('AddMember', request));
}

export async function updateMember(weft: Weft, request: Request<'UpdateMember'>): Promise<void> {
  const take = weft.changing(request.spaceId);
  take(await weft.transport.call('UpdateMember', request));
}

export async function removeMember(weft: Weft, request: Request<'RemoveMember'>): Promise<void> {
  const take = weft.changing(request.spaceId);
  take(await weft.transport.call('RemoveMember', request));
}

/** Continues a conversation that an agent has kept by itself, in a space that is shown then. */
export async function importSession(weft: Weft, request: Request<'ImportSession'>): Promise<void> {
  const enter = weft.entering();
  enter(await weft.transport.call('ImportSession', request));
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
  // No event reports it.
  weft.outdated(keys.worktrees);
  return removed;
}
