import { type EverySearchState, hitKey } from '../../state/everySearch';
import type { FoundSpace, FoundTitle, SearchHit } from '../../transport/api';

/** A line of the list. What can be chosen has a key. */
export type Line =
  | { kind: 'titles' }
  | { kind: 'title'; key: string; title: FoundTitle }
  | { kind: 'space'; space: FoundSpace; count: number }
  | { kind: 'hit'; key: string; hit: SearchHit }
  | { kind: 'rest'; key: string; space: FoundSpace; count: number }
  | { kind: 'more'; key: string };

export type Choice = Extract<Line, { key: string }>;

/** So many hits of a space are shown before the user asks for all. */
const few = 4;

/** What was found as lines: titles, then the hits of each space, the space with the best first. `open` are the spaces all of which is shown. */
export function linesOf(found: EverySearchState, open: ReadonlySet<string>): Line[] {
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
