import type { Conversation } from '../transcript/model';

// In the text, a mention is "@" and the path as the user sees it. The path it stands for is stored separately, so that
// even paths with line breaks can be mentioned.

/** Paths that can be mentioned in a space, by their label. */
export type Mentions = Map<string, string>;

/** The mentions of every space, for the lifetime of the page. */
const bySpace = new Map<string, Mentions>();

export function mentionsOf(spaceId: string): Mentions {
  const known = bySpace.get(spaceId) ?? new Map<string, string>();
  bySpace.set(spaceId, known);
  return known;
}

/** The paths mentioned by earlier prompts: reusing a prompt mentions them again. */
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

/** The paths mentioned in the text, in order, each once. */
export function mentionedIn(text: string, ...known: readonly Mentions[]): string[] {
  const written = new Map(known.flatMap((mentions) => [...mentions]));
  return [...new Set(findMentions(text, written).map(({ value }) => value))];
}

/** Finds labels in the text as separate words, in order. */
export function findMentions(
  text: string,
  written: ReadonlyMap<string, string>,
): { at: number; label: string; value: string }[] {
  // The longest first: "@a.txt.bak" doesn't mention "@a.txt".
  const labels = [...written.keys()].toSorted((a, b) => b.length - a.length);
  const found: { at: number; label: string; value: string }[] = [];
  let rest = text;
  for (const label of labels) {
    for (let at = rest.indexOf(label); at >= 0; at = rest.indexOf(label, at + 1)) {
      if (!isSeparateWord(rest, at, label)) continue;
      found.push({ at, label, value: written.get(label) ?? '' });
      rest = rest.slice(0, at) + '\0'.repeat(label.length) + rest.slice(at + label.length);
    }
  }
  return found.toSorted((a, b) => a.at - b.at);
}

/** Reports whether the label at that position is a separate word. */
function isSeparateWord(text: string, at: number, label: string): boolean {
  if (at > 0 && !/[\s(["'`]/.test(text[at - 1] ?? '')) return false;
  const after = text.slice(at + label.length, at + label.length + 2);
  return !/^[\p{L}\p{N}_/@-]/u.test(after) && !/^\.\w/.test(after);
}
