import { useMemo, useRef } from 'react';
import {
  inHeldOrder,
  type Line,
  linesOf,
  plainLines,
  searchSpaces,
  startOfDay,
  withCurrentSpaces,
} from '../../state/list';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Space } from '../../transport/api';
import { useMinutes } from '../parts/useNow';

/**
 * The lines of the list: all spaces in their groups, or the search results. While the list is held, agents can't move
 * lines; only the user's actions do.
 */
export function useLines(query: string, held = false): readonly Line[] {
  const weft = useWeft();
  const spaces = useStore(weft.server, (state) => state.spaces);
  const order = useStore(weft.server, (state) => state.order);
  const selected = useStore(weft.shown, (state) => (state.screen === 'space' ? state.selected : null));
  const view = useStore(weft.list, (state) => state.view);
  const opened = useStore(weft.list, (state) => state.opened);
  const today = startOfDay(useMinutes());
  const before = useBefore(spaces, selected, held);
  return useMemo(() => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const sorted = before === null ? spaces : inHeldOrder(spaces, before);
    const names = new Map((order.tags ?? []).map(({ id, name }) => [id, name]));
    const lines =
      words.length === 0
        ? linesOf({ spaces: sorted, order, view, opened, selected, today })
        : plainLines(searchSpaces(sorted, words, names), order.pins ?? []);
    return before === null ? lines : withCurrentSpaces(lines, spaces);
  }, [spaces, order, view, opened, selected, today, query, before]);
}

/**
 * The spaces at the time the list started to be held; null while it isn't. A space just created by the user is
 * included.
 */
function useBefore(
  spaces: readonly Space[],
  selected: string | null,
  held: boolean,
): ReadonlyMap<string, Space> | null {
  const before = useRef<ReadonlyMap<string, Space> | null>(null);
  const known = before.current;
  if (!held) before.current = null;
  else if (
    known === null ||
    (selected !== null && !known.has(selected) && spaces.some(({ id }) => id === selected))
  )
    before.current = new Map(spaces.map((space) => [space.id, space]));
  return before.current;
}
