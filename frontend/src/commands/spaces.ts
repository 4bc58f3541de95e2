import { keys } from '../cache/keys';
import { t } from '../i18n';
import { translated } from '../i18n/said';
import { say, showUndoable } from '../state/notify';
import { writeKept } from '../state/ui';
import type { Weft } from '../state/weft';
import type { PermissionMode, Request, Space } from '../transport/api';

// Commands for spaces, their members and folders. Results are applied at once.

export type { ImportedConversation, ImportReport } from '../transport/imports';
export { importFile } from '../transport/imports';

/**
 * Creates a space and shows it unless the user has navigated elsewhere meanwhile. Its agent and folder become the
 * defaults for the next one.
 */
export async function createSpace(
  weft: Weft,
  agentId: string,
  folder: string,
  {
    draft = '',
    ...more
  }: Pick<Request<'CreateSpace'>, 'words' | 'worktree' | 'members' | 'noFolder'> & {
    /** Initial text of the composer. */
    draft?: string;
  } = {},
): Promise<Space> {
  const enter = weft.beginCreate();
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

/** Creates a branch and shows it. */
export async function branchSpace(weft: Weft, request: Request<'Branch'>): Promise<void> {
  const enter = weft.beginCreate();
  enter(await weft.transport.call('Branch', request));
}

export function renameSpace(weft: Weft, spaceId: string, title: string): Promise<void> {
  return weft.attempt(t('failed.rename'), async () => {
    const take = weft.beginSpaceUpdate(spaceId);
    take(await weft.transport.call('UpdateSpace', { spaceId, title }));
  });
}

/** Changes the folder of a space. Possible until its agents have answered. */
export async function setFolder(weft: Weft, spaceId: string, folder: string): Promise<void> {
  const take = weft.beginSpaceUpdate(spaceId);
  take(await weft.transport.call('UpdateSpace', { spaceId, folder }));
}

export function setPermissions(weft: Weft, spaceId: string, permissions: PermissionMode): Promise<void> {
  return weft.attempt(t('failed.permissions'), async () => {
    const take = weft.beginSpaceUpdate(spaceId);
    take(await weft.transport.call('UpdateSpace', { spaceId, permissions }));
  });
}

/** Marks the finished runs of a space as seen. */
export async function markSeen(weft: Weft, spaceId: string): Promise<void> {
  const spaces = weft.server
    .get()
    .spaces.map((one) => (one.id === spaceId ? { ...one, unseen: false } : one));
  weft.server.set({ spaces });
  // If this fails, the space is shown as unseen again, which does no harm.
  await weft.transport.call('MarkSeen', { spaceId }).catch(() => {});
}

/** Archives a space. If it has its own worktree and nothing was decided about it, asks the user first. */
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
    const take = weft.beginSpaceUpdate(space.id);
    take(await weft.transport.call('UpdateSpace', { spaceId: space.id, archived }));
    if (archived)
      showUndoable(t('space.archived', { title: space.title }), () => void archiveSpace(weft, space, false));
  });
}

/** Deletes a space; see archiveSpace. If its agent can delete its stored session too, asks the user. */
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

/** Deletes a space without asking. */
export async function removeSpaceNow(weft: Weft, space: Space, atAgent: boolean): Promise<void> {
  const { left } = await weft.transport.call('DeleteSpace', { spaceId: space.id, atAgent });
  weft.drop(space.id);
  showUndoable(t('space.deleted', { title: space.title }), () => void restoreSpace(weft, space));
  if (left !== '') say(t('deleteSpace.left', { why: translated(left) }));
}

export function restoreSpace(weft: Weft, space: Space): Promise<void> {
  const enter = weft.beginCreate();
  return weft.attempt(t('failed.restore'), async () =>
    enter(await weft.transport.call('RestoreSpace', { spaceId: space.id })),
  );
}

/** Stops everything that runs in a space, or only one member. */
export function stopSpace(weft: Weft, spaceId: string, memberId = ''): Promise<void> {
  weft.opened(spaceId)?.markStopping(memberId);
  return weft.attempt(t('failed.stop'), () => weft.transport.call('StopRun', { spaceId, memberId }));
}

/** Stops one run in any space, from a space that it sends messages to. */
export function stopRun(weft: Weft, spaceId: string, runId: string): Promise<void> {
  weft.opened(spaceId)?.markStopping('', runId);
  return weft.attempt(t('failed.stop'), () =>
    weft.transport.call('StopRun', { spaceId, memberId: '', runId }),
  );
}

export async function addMember(weft: Weft, request: Request<'AddMember'>): Promise<void> {
  const take = weft.beginSpaceUpdate(request.spaceId);
  take(await weft.transport.call('AddMember', request));
}

export async function updateMember(weft: Weft, request: Request<'UpdateMember'>): Promise<void> {
  const take = weft.beginSpaceUpdate(request.spaceId);
  take(await weft.transport.call('UpdateMember', request));
}

export async function removeMember(weft: Weft, request: Request<'RemoveMember'>): Promise<void> {
  const take = weft.beginSpaceUpdate(request.spaceId);
  take(await weft.transport.call('RemoveMember', request));
}

/** Continues a session that an agent stored, in a space that is then shown. */
export async function importSession(weft: Weft, request: Request<'ImportSession'>): Promise<void> {
  const enter = weft.beginCreate();
  enter(await weft.transport.call('ImportSession', request));
}

/** Makes an agent delete a session that it stored. */
export function forgetSession(weft: Weft, agentId: string, sessionId: string) {
  return weft.transport.call('ForgetSession', { agentId, sessionId });
}

/** Opens the folder dialog of the desktop. Returns '' if the user canceled. */
export async function pickFolder(weft: Weft, path: string): Promise<string> {
  return (await weft.transport.call('PickFolder', { path })).path;
}

export function readSpaceFile(weft: Weft, spaceId: string, path: string, line: number) {
  return weft.transport.call('ReadSpaceFile', { spaceId, path, line });
}

export async function removeWorktree(weft: Weft, request: Request<'RemoveWorktree'>) {
  const removed = await weft.transport.call('RemoveWorktree', request);
  // No event reports this.
  weft.outdated(keys.worktrees);
  return removed;
}
