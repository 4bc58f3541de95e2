import { findFiles } from '../../commands/prompts';
import type { Attached } from '../../state/attachments';
import { withoutMembers } from '../../state/members';
import { mentionedBefore, mentionedIn, mentionsOf } from '../../state/mentions';
import type { Session } from '../../state/session';
import type { Weft } from '../../state/weft';
import type { PromptPart, Space } from '../../transport/api';
import { written } from './files';

/** Prompts being sent, by space. */
const inFlight = new Map<string, Promise<void>>();

/** Sends the prompts of a space one after the other, because one may have to wait for its agent to start. */
export function sendInOrder(spaceId: string, give: () => Promise<void>): Promise<void> {
  const given = (inFlight.get(spaceId) ?? Promise.resolve()).then(give);
  inFlight.set(spaceId, given);
  return given;
}

/** How many typed "@" words that weren't chosen from the list are looked up. */
const mostTyped = 5;

/** The attachments of a text: the files that it mentions, and those attached. */
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
  await resolveTyped(weft, session.spaceId, files, (word) => known.has(word) || before.has(word));
  const parts = attached.flatMap(({ part }) => (part === null ? [] : [part]));
  const there = new Set(parts.flatMap((part) => ('path' in part ? [part.path] : [])));
  const mentions = mentionedIn(files, before, known).filter((path) => !there.has(path));
  return [...mentions.map((path) => ({ path })), ...parts];
}

/** The files that the first prompt of a space mentions. */
export async function typedParts(weft: Weft, space: Space, text: string): Promise<PromptPart[]> {
  const files = withoutMembers(text, space.members);
  await resolveTyped(weft, space.id, files, () => false);
  return mentionedIn(files, mentionsOf(space.id)).map((path) => ({ path }));
}

/** Finds mentions that were typed in full, or are left from a draft of an earlier page. */
async function resolveTyped(
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
