import { findFiles } from '../../commands/prompts';
import type { Attached } from '../../state/attachments';
import { withoutMembers } from '../../state/members';
import { mentionedBefore, mentionedIn, mentionsOf } from '../../state/mentions';
import type { Session } from '../../state/session';
import type { Weft } from '../../state/weft';
import type { PromptPart, Space } from '../../transport/api';
import { written } from './files';

/** The prompts of a space that are on their way. */
const underWay = new Map<string, Promise<void>>();

/** Gives the prompts of a space one after the other: one may have to wait for the agent to start. */
export function inOrder(spaceId: string, give: () => Promise<void>): Promise<void> {
  const given = (underWay.get(spaceId) ?? Promise.resolve()).then(give);
  underWay.set(spaceId, given);
  return given;
}

/** How many words with an "@" that nobody chose from the list are looked up. */
const mostTyped = 5;

/** What goes along with a text: the files that it mentions, and what is attached. */
export async function partsOf(
  weft: Weft,
  session: Session,
  text: string,
  attached: readonly Attached[],
): Promise<PromptPart[]> {
  const known = mentionsOf(session.spaceId);
  const { conversation, space } = session.store.get();
  const before = mentionedBefore(conversation, written);
  const files = withoutMembers(text, space?.members ?? []);
  await learnTyped(weft, session.spaceId, files, (word) => known.has(word) || before.has(word));
  const parts = attached.flatMap(({ part }) => (part === null ? [] : [part]));
  const there = new Set(parts.flatMap((part) => ('path' in part ? [part.path] : [])));
  const mentions = mentionedIn(files, before, known).filter((path) => !there.has(path));
  return [...mentions.map((path) => ({ path })), ...parts];
}

/** The files that the first prompt of a space mentions. */
export async function typedParts(weft: Weft, space: Space, text: string): Promise<PromptPart[]> {
  const files = withoutMembers(text, space.members);
  await learnTyped(weft, space.id, files, () => false);
  return mentionedIn(files, mentionsOf(space.id)).map((path) => ({ path }));
}

/** Mentions that were typed in full, or are left of a draft of an earlier page. */
async function learnTyped(
  weft: Weft,
  spaceId: string,
  text: string,
  known: (word: string) => boolean,
): Promise<void> {
  const words = new Set(
    [...text.matchAll(/(?<=^|\s)@\S+/g)].map(([word]) => word.replace(/[.,;:!?)\]}'"]+$/, '')),
  );
  const unknown = [...words].filter((word) => word.length > 1 && !known(word)).slice(0, mostTyped);
  await Promise.all(
    unknown.map(async (word) => {
      const query = word.slice(1);
      const found = await findFiles(weft, { spaceId, query, exact: true }).catch(() => null);
      const path = found?.files?.[0]?.path;
      if (path !== undefined && (path === query || path === `${query}/`)) mentionsOf(spaceId).set(word, path);
    }),
  );
}
