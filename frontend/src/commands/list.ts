import { t } from '../i18n';
import { movedBy, type ProjectSorting } from '../state/list';
import { setView } from '../state/listState';
import { showFailure, showUndoable } from '../state/notify';
import type { Weft } from '../state/weft';
import type { Space, Tag } from '../transport/api';
import { asCommandError } from '../transport/transport';
import { archiveSpace, removeSpace } from './spaces';

// Commands for the order of the space list and for several spaces at once.

/** Pins spaces, moves pinned spaces before another one (to the end if it is ''), or unpins them. */
export function pinSpaces(
  weft: Weft,
  spaceIds: readonly string[],
  pinned: boolean,
  before = '',
): Promise<void> {
  return weft.attempt(t(pinned ? 'failed.pin' : 'failed.unpin'), async () => {
    const take = weft.beginOrderUpdate();
    take(
      await weft.transport.call('PinSpaces', {
        ...{ spaceIds: [...spaceIds], pinned },
        ...(before !== '' && { before }),
      }),
    );
  });
}

/** Moves a pinned space up or down by one among the listed ones. */
export function movePin(weft: Weft, listed: readonly string[], spaceId: string, by: 1 | -1): Promise<void> {
  const moved = movedBy(listed, spaceId, by);
  if (moved === listed) return Promise.resolve();
  return pinSpaces(weft, [spaceId], true, moved[moved.indexOf(spaceId) + 1] ?? '');
}

/** Sets a manual project order, which the list uses from then on. */
export function orderProjects(weft: Weft, projects: readonly string[]): Promise<void> {
  return weft.attempt(t('failed.orderProjects'), async () => {
    const listed = new Set(projects);
    // Projects that aren't listed now keep their order at the end.
    const others = (weft.server.get().order.projects ?? []).filter((project) => !listed.has(project));
    const take = weft.beginOrderUpdate();
    take(await weft.transport.call('OrderProjects', { projects: [...projects, ...others] }));
    const hand: ProjectSorting = 'hand';
    setView(weft.list, { projects: hand });
  });
}

/** Adds or updates a tag. Rejects if the backend refuses it. */
export async function saveTag(weft: Weft, tag: Tag): Promise<Tag | undefined> {
  const take = weft.beginOrderUpdate();
  const order = await weft.transport.call('SaveTag', tag);
  take(order);
  const tags = order.tags ?? [];
  return tag.id === '' ? tags.at(-1) : tags.find(({ id }) => id === tag.id);
}

/** Adds tags to spaces and removes others. */
export function tagSpaces(weft: Weft, spaceIds: readonly string[], change: TagChange): Promise<void> {
  return weft.attempt(t('failed.tag'), () => changeTags(weft, spaceIds, change));
}

interface TagChange {
  add?: string[];
  remove?: string[];
}

async function changeTags(weft: Weft, spaceIds: readonly string[], { add = [], remove = [] }: TagChange) {
  await weft.transport.call('TagSpaces', { spaceIds: [...spaceIds], add, remove });
  const ids = new Set(spaceIds);
  weft.server.batch(() => {
    for (const space of weft.server.get().spaces) {
      if (!ids.has(space.id)) continue;
      const tags = new Set([...(space.tags ?? []), ...add]);
      for (const tag of remove) tags.delete(tag);
      weft.put({ ...space, tags: [...tags] });
    }
  });
}

/** Deletes a tag. The user can undo this. */
export function removeTag(weft: Weft, tag: Tag): Promise<void> {
  return weft.attempt(t('failed.removeTag'), async () => {
    const take = weft.beginOrderUpdate();
    const { order, spaceIds } = await weft.transport.call('RemoveTag', { tagId: tag.id });
    take(order);
    const { tags } = weft.list.get().view;
    if (tags.includes(tag.id)) setView(weft.list, { tags: tags.filter((id) => id !== tag.id) });
    showUndoable(
      t('tags.deleted', { name: tag.name }),
      () =>
        void weft.attempt(t('failed.tag'), async () => {
          await saveTag(weft, tag);
          await changeTags(weft, spaceIds ?? [], { add: [tag.id] });
        }),
    );
  });
}

/** Moves a space that an agent or a schedule opened into the user's own list. */
export function keepSpace(weft: Weft, spaceId: string): Promise<void> {
  return weft.attempt(t('failed.keep'), async () => {
    const take = weft.beginSpaceUpdate(spaceId);
    take(await weft.transport.call('UpdateSpace', { spaceId, keep: true }));
  });
}

/** How many commands run at the same time. */
const concurrency = 4;

/** Runs a command for each space and returns the results of those that succeeded. */
async function forEachSpace<T>(
  spaces: readonly Space[],
  action: (space: Space) => Promise<T>,
): Promise<{ done: { space: Space; answer: T }[]; failed: unknown[] }> {
  const done: { space: Space; answer: T }[] = [];
  const failed: unknown[] = [];
  const left = [...spaces];
  const work = async () => {
    for (let space = left.shift(); space !== undefined; space = left.shift()) {
      try {
        done.push({ space, answer: await action(space) });
      } catch (error) {
        failed.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return { done, failed };
}

/** Reports that a command failed for some of the spaces, with the first reason. */
function showPartialFailure(what: string, failed: readonly unknown[]): void {
  if (failed.length > 0) showFailure(what, asCommandError(failed[0]));
}

/**
 * Archives or unarchives spaces. For a single space, asks about its worktree; worktrees of several spaces stay on disk.
 */
export async function archiveSpaces(weft: Weft, spaces: readonly Space[], archived: boolean): Promise<void> {
  const [only] = spaces;
  if (only !== undefined && spaces.length === 1) return archiveSpace(weft, only, archived);
  const { done, failed } = await forEachSpace(spaces, async ({ id }) => {
    const take = weft.beginSpaceUpdate(id);
    const space = await weft.transport.call('UpdateSpace', { spaceId: id, archived });
    return { space, take };
  });
  weft.server.batch(() => {
    for (const { answer } of done) answer.take(answer.space);
  });
  clearPicked(weft);
  const count = done.length;
  if (count > 0) {
    showUndoable(
      t(archived ? 'list.archived' : 'list.unarchived', { count }),
      () =>
        void archiveSpaces(
          weft,
          done.map(({ answer }) => answer.space),
          !archived,
        ),
    );
  }
  showPartialFailure(t('failed.archiveSome', { count: failed.length }), failed);
}

/** Deletes spaces; the user can undo this. For several spaces, their sessions at the agents are kept. */
export async function removeSpaces(weft: Weft, spaces: readonly Space[]): Promise<void> {
  const [only] = spaces;
  if (only !== undefined && spaces.length === 1) return removeSpace(weft, only);
  const { done, failed } = await forEachSpace(spaces, ({ id }) =>
    weft.transport.call('DeleteSpace', { spaceId: id }),
  );
  weft.server.batch(() => {
    for (const { space } of done) weft.drop(space.id);
  });
  clearPicked(weft);
  const gone = done.map(({ space }) => space);
  if (gone.length > 0)
    showUndoable(t('list.deleted', { count: gone.length }), () => void restoreSpaces(weft, gone));
  showPartialFailure(t('failed.deleteSome', { count: failed.length }), failed);
}

async function restoreSpaces(weft: Weft, spaces: readonly Space[]): Promise<void> {
  const { done, failed } = await forEachSpace(spaces, async ({ id }) => {
    const take = weft.beginSpaceUpdate(id);
    const space = await weft.transport.call('RestoreSpace', { spaceId: id });
    return () => take(space);
  });
  weft.server.batch(() => {
    for (const { answer } of done) answer();
  });
  showPartialFailure(t('failed.restore'), failed);
}

export function clearPicked(weft: Weft): void {
  if (weft.list.get().picked.size > 0) weft.list.set({ picked: new Set() });
}
