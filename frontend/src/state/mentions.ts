import type { Conversation } from '../transcript/model';

// A mention is in the text as "@" and the path, as the user sees it. Which path it means is
// remembered beside the text, so that also a path with a line break in it can be mentioned.

/** The paths that may be mentioned in a space, by how they are written. */
export type Mentions = Map<string, string>;

/** The mentions of every space, for as long as the app shows this page. */
const bySpace = new Map<string, Mentions>();

export function mentionsOf(spaceId: string): Mentions {
  const known = bySpace.get(spaceId) ?? new Map<string, string>();
  bySpace.set(spaceId, known);
  return known;
}

/** The paths that earlier prompts mention: a prompt that is fetched back mentions them again. */
export function mentionedBefore(conversation: Conversation, written: (path: string) => string): Mentions {
  const out: Mentions = new Map();
  for (const { role, segments } of conversation.messages) {
    if (role !== 'user') continue;
    for (const segment of segments) {
      const path = segment.type === 'display' ? segment.display.path : undefined;
      if (path !== undefined) out.set(written(path), path);
    }
  }
  return out;
}

/** The paths that the text mentions, in its order, each once. */
export function mentionedIn(text: string, ...known: readonly Mentions[]): string[] {
  const written = new Map(known.flatMap((mentions) => [...mentions]));
  return [...new Set(findMentions(text, written).map(({ value }) => value))];
}

/** Where the text has which of the labels, as words of their own, in its order. */
export function findMentions(
  text: string,
  written: ReadonlyMap<string, string>,
): { at: number; label: string; value: string }[] {
  // The longest first: "@a.txt" is no mention in "@a.txt.bak".
  const labels = [...written.keys()].toSorted((a, b) => b.length - a.length);
  const found: { at: number; label: string; value: string }[] = [];
  let rest = text;
  for (const label of labels) {
    for (let at = rest.indexOf(label); at >= 0; at = rest.indexOf(label, at + 1)) {
      if (!stands(rest, at, label)) continue;
      found.push({ at, label, value: written.get(label) ?? '' });
      rest = rest.slice(0, at) + '\0'.repeat(label.length) + rest.slice(at + label.length);
    }
  }
  return found.toSorted((a, b) => a.at - b.at);
}

/** Whether what is at that place is a word of its own. */
function stands(text: string, at: number, label: string): boolean {
  if (at > 0 && !/[\s(["'`]/.test(text[at - 1] ?? '')) return false;
  const after = text.slice(at + label.length, at + label.length + 2);
  return !/^[\p{L}\p{N}_/@-]/u.test(after) && !/^\.\w/.test(after);
}
