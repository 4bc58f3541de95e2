import { useCallback, useLayoutEffect, useMemo, useRef } from 'react';
import { inboxOf, indexIn, type Pending } from '../../state/inbox';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';

export interface Triage {
  /** All that waits, but for what was answered a moment ago. */
  list: readonly Pending[];
  /** What was answered and can still be taken back, with its entry where that waits still. */
  held: readonly { id: string; entry: Pending | undefined }[];
  /** Where the chosen entry is in the list; -1 where it is in it no more, or none was chosen. */
  index: number;
  /** What is chosen, as it is now, or as it was when it left the list. */
  chosen: Pending | null;
  choose(entry: Pending, reading?: boolean): void;
  /** Chooses one that is so many after the chosen one. */
  move(by: number): void;
  /** Chooses the next one; after the last comes the first. */
  next(): void;
  /** Notes another id by which the chosen request is answered. */
  known(id: string): void;
}

/**
 * The list of all that waits, and what is chosen of it. What the user has answered or dismissed makes room for the next one. A
 * request that leaves by itself stays where it is, as one that is over: nothing moves into its place while the user reads it, so
 * that no answer goes to another request than the one they have read.
 */
export function useTriage(): Triage {
  const weft = useWeft();
  const spaces = useStore(weft.server, (state) => state.spaces);
  const view = useStore(weft.shown, (state) => state.inbox);
  const ids = useStore(weft.answered.held, (state) => state.ids);
  const aliases = useRef(new Map<string, string>());
  const all = useMemo(() => inboxOf(spaces), [spaces]);
  const held = useMemo(
    () =>
      ids.map((id) => ({
        id,
        entry: all.find(({ key }) => key === id || aliases.current.get(key) === id),
      })),
    [all, ids],
  );
  const list = useMemo(
    () => (held.length === 0 ? all : all.filter((entry) => held.every((one) => one.entry !== entry))),
    [all, held],
  );
  const index = indexIn(list, view.chosen);
  const chosen = list[index] ?? view.chosen;
  const last = useRef(0);
  if (index >= 0) last.current = index;

  const choose = useCallback(
    (entry: Pending, reading?: boolean) => weft.showInbox(entry, reading ?? weft.shown.get().inbox.reading),
    [weft],
  );
  const known = useCallback(
    (id: string) => {
      aliases.current.set(weft.shown.get().inbox.chosen?.key ?? '', id);
    },
    [weft],
  );
  useLayoutEffect(() => {
    if (index >= 0) return;
    const { chosen } = weft.shown.get().inbox;
    const answered =
      chosen !== null &&
      (weft.answered.has(chosen.key) || weft.answered.has(aliases.current.get(chosen.key) ?? ''));
    const next = list[Math.min(last.current, list.length - 1)];
    if (next !== undefined && (chosen === null || chosen.kind !== 'request' || answered)) choose(next);
  }, [weft, list, index, choose]);

  const move = (by: number) => {
    // In place of one that is gone is the next one already.
    const from = index >= 0 ? index : by > 0 ? last.current - 1 : last.current;
    const to = list[Math.max(0, Math.min(list.length - 1, from + by))];
    if (to !== undefined) choose(to);
  };
  const next = () => {
    const from = index >= 0 ? index : last.current - 1;
    const to = list[(from + 1) % list.length];
    if (to !== undefined) choose(to, true);
  };
  return { list, held, index, chosen, choose, move, next, known };
}
