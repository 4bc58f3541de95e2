import { t } from '../i18n';
import { movedBy, type ProjectSorting } from '../state/list';
import { setView } from '../state/listState';
import { sayFailed, sayUndoable } from '../state/notify';
import type { Weft } from '../state/weft';
import type { Space, Tag } from '../transport/api';
import { asCommandError } from '../transport/transport';
import { archiveSpace, removeSpace } from './spaces';

// How the user orders the list of spaces, and what is done with several of them at once.

/** Pins spaces, moves pinned ones before another one (behind all where that is ''), or unpins them. */
export function pinSpaces(
  weft: Weft,
  spaceIds: readonly string[],
  pinned: boolean,
  before = '',
): Promise<void> {
  return weft.attempt(t(pinned ? 'failed.pin' : 'failed.unpin'), async () => {
    const take = weft.ordering();
    take(
      await weft.transport.call('PinSpaces', {
        ...{ spaceIds: [...spaceIds], pinned },
        ...(before !== '' && { before }),
      }),
    );
  });
}

/** Moves a pinned space up or down by a place among those that are listed. */
export function movePin(weft: Weft, listed: readonly string[], spaceId: string, by: 1 | -1): Promise<void> {
  const moved = movedBy(listed, spaceId, by);
  if (moved === listed) return Promise.resolve();
  return pinSpaces(weft, [spaceId], true, moved[moved.indexOf(spaceId) + 1] ?? '');
}

/** Puts projects in order by hand; from then on they are listed so. */
export function orderProjects(weft: Weft, projects: readonly string[]): Promise<void> {
  return weft.attempt(t('failed.orderProjects'), async () => {
    const listed = new Set(projects);
    // Those that are not listed now keep their place behind them.
    const others = (weft.server.get().order.projects ?? []).filter((project) => !listed.has(project));
    const take = weft.ordering();
    take(await weft.transport.call('OrderProjects', { projects: [...projects, ...others] }));
    const hand: ProjectSorting = 'hand';
    setView(weft.list, { projects: hand });
  });
}

/** Adds a tag or changes one. It rejects where the backend refuses that. */
export async function saveTag(weft: Weft, tag: Tag): Promise<Tag | undefined> {
  const take = weft.ordering();
  const order = await weft.transport.call('SaveTag', tag);
  take(order);
  const tags = order.tags ?? [];
  return tag.id === '' ? tags.at(-1) : tags.find(({ id }) => id === tag.id);
}

/** Puts tags on spaces and takes others off them. */
export function tagSpaces(weft: Weft, spaceIds: readonly string[], change: TagChange): Promise<void> {
  return weft.attempt(t('failed.tag'), () => retag(weft, spaceIds, change));
}

interface TagChange {
  add?: string[];
  remove?: string[];
}

async function retag(weft: Weft, spaceIds: readonly string[], { add = [], remove = [] }: TagChange) {
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

/** Deletes a tag; it can be undone. */
export function removeTag(weft: Weft, tag: Tag): Promise<void> {
  return weft.attempt(t('failed.removeTag'), async () => {
    const take = weft.ordering();
    const { order, spaceIds } = await weft.transport.call('RemoveTag', { tagId: tag.id });
    take(order);
    const { tags } = weft.list.get().view;
    if (tags.includes(tag.id)) setView(weft.list, { tags: tags.filter((id) => id !== tag.id) });
    sayUndoable(
      t('tags.deleted', { name: tag.name }),
      () =>
        void weft.attempt(t('failed.tag'), async () => {
          await saveTag(weft, tag);
          await retag(weft, spaceIds ?? [], { add: [tag.id] });
        }),
    );
  });
}

/** Lists a space that an agent or a schedule has opened among those of the user. */
export function keepSpace(weft: Weft, spaceId: string): Promise<void> {
  return weft.attempt(t('failed.keep'), async () => {
    const take = weft.changing(spaceId);
    take(await weft.transport.call('UpdateSpace', { spaceId, keep: true }));
  });
}

/** So many commands are under way at once. */
const atOnce = 4;

/** Does something with spaces, one after the other, and returns what came of each that it worked for. */
async function each<T>(
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
  await Promise.all(Array.from({ length: atOnce }, work));
  return { done, failed };
}

/** Says what did not work for some of the spaces, with the first reason. */
function sayOthersFailed(what: string, failed: readonly unknown[]): void {
  if (failed.length > 0) sayFailed(what, asCommandError(failed[0]));
}

/** Archives spaces, or brings them back. One alone is asked about its worktree; those of several stay on the disk. */
export async function archiveSpaces(weft: Weft, spaces: readonly Space[], archived: boolean): Promise<void> {
  const [only] = spaces;
  if (only !== undefined && spaces.length === 1) return archiveSpace(weft, only, archived);
  const { done, failed } = await each(spaces, async ({ id }) => {
    const take = weft.changing(id);
    const space = await weft.transport.call('UpdateSpace', { spaceId: id, archived });
    return { space, take };
  });
  weft.server.batch(() => {
    for (const { answer } of done) answer.take(answer.space);
  });
  clearPicked(weft);
  const count = done.length;
  if (count > 0) {
    sayUndoable(
      t(archived ? 'list.archived' : 'list.unarchived', { count }),
      () =>
        void archiveSpaces(
          weft,
          done.map(({ answer }) => answer.space),
          !archived,
        ),
    );
  }
  sayOthersFailed(t('failed.archiveSome', { count: failed.length }), failed);
}

/** Deletes spaces; it can be undone. What their agents have kept of several spaces stays with them. */
export async function removeSpaces(weft: Weft, spaces: readonly Space[]): Promise<void> {
  const [only] = spaces;
  if (only !== undefined && spaces.length === 1) return removeSpace(weft, only);
  const { done, failed } = await each(spaces, ({ id }) =>
    weft.transport.call('DeleteSpace', { spaceId: id }),
  );
  weft.server.batch(() => {
    for (const { space } of done) weft.drop(space.id);
  });
  clearPicked(weft);
  const gone = done.map(({ space }) => space);
  if (gone.length > 0)
    sayUndoable(t('list.deleted', { count: gone.length }), () => void restoreSpaces(weft, gone));
  sayOthersFailed(t('failed.deleteSome', { count: failed.length }), failed);
}

async function restoreSpaces(weft: Weft, spaces: readonly Space[]): Promise<void> {
  const { done, failed } = await each(spaces, async ({ id }) => {
    const take = weft.changing(id);
    const space = await weft.transport.call('RestoreSpace', { spaceId: id });
    return () => take(space);
  });
  weft.server.batch(() => {
    for (const { answer } of done) answer();
  });
  sayOthersFailed(t('failed.restore'), failed);
}

export function clearPicked(weft: Weft): void {
  if (weft.list.get().picked.size > 0) weft.list.set({ picked: new Set() });
}
