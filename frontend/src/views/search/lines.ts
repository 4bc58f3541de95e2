import { type GlobalSearchState, hitKey } from '../../state/globalSearch';
import type { FoundSpace, FoundTitle, SearchHit } from '../../transport/api';

/** A line of the list. Selectable ones have a key. */
export type Line =
  | { kind: 'titles' }
  | { kind: 'title'; key: string; title: FoundTitle }
  | { kind: 'space'; space: FoundSpace; count: number }
  | { kind: 'hit'; key: string; hit: SearchHit }
  | { kind: 'rest'; key: string; space: FoundSpace; count: number }
  | { kind: 'more'; key: string };

export type Choice = Extract<Line, { key: string }>;

/** How many matches of a space are shown before the user expands it. */
const few = 4;

/**
 * The results as lines: titles, then the matches of each space, the best space first. `open` are the expanded spaces.
 */
export function linesOf(found: GlobalSearchState, open: ReadonlySet<string>): Line[] {
  const lines: Line[] = [];
  if (found.titles.length > 0) lines.push({ kind: 'titles' });
  for (const title of found.titles) lines.push({ kind: 'title', key: `title/${title.id}`, title });
  const groups = new Map<string, SearchHit[]>();
  for (const hit of found.hits) {
    const group = groups.get(hit.spaceId);
    if (group === undefined) groups.set(hit.spaceId, [hit]);
    else group.push(hit);
  }
  for (const [id, hits] of groups) {
    const space = found.spaces.get(id);
    if (space === undefined) continue;
    lines.push({ kind: 'space', space, count: hits.length });
    const shown = open.has(id) || hits.length <= few + 1 ? hits.length : few;
    for (const hit of hits.slice(0, shown)) lines.push({ kind: 'hit', key: hitKey(hit), hit });
    if (shown < hits.length)
      lines.push({ kind: 'rest', key: `rest/${id}`, space, count: hits.length - shown });
  }
  if (found.next !== 0) lines.push({ kind: 'more', key: 'more' });
  return lines;
}

export function canBeChosen(line: Line): line is Choice {
  return 'key' in line;
}
