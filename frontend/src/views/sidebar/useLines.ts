import { useMemo } from 'react';
import { found, type Line, linesOf, plainLines, startOfDay } from '../../state/list';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { useMinutes } from '../parts/useNow';

/** The lines of the list: all spaces in their groups, or those that fit what is searched for. */
export function useLines(query: string): readonly Line[] {
  const weft = useWeft();
  const spaces = useStore(weft.server, (state) => state.spaces);
  const order = useStore(weft.server, (state) => state.order);
  const selected = useStore(weft.shown, (state) => (state.screen === 'space' ? state.selected : null));
  const view = useStore(weft.list, (state) => state.view);
  const opened = useStore(weft.list, (state) => state.opened);
  const today = startOfDay(useMinutes());
  return useMemo(() => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return linesOf({ spaces, order, view, opened, selected, today });
    const names = new Map((order.tags ?? []).map(({ id, name }) => [id, name]));
    return plainLines(found(spaces, words, names), order.pins ?? []);
  }, [spaces, order, view, opened, selected, today, query]);
}
