import { useCallback, useLayoutEffect, useMemo, useRef } from 'react';
import { type InboxItem, inboxOf, indexIn } from '../../state/inbox';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';

export interface Triage {
  /** All items except those answered a moment ago. */
  list: readonly InboxItem[];
  /** Answers that can still be undone, with their items if these are still pending. */
  held: readonly { id: string; entry: InboxItem | undefined }[];
  /** Index of the selected item; -1 if it has left the list or none is selected. */
  index: number;
  /** The selected item, current or as it was when it left the list. */
  chosen: InboxItem | null;
  choose(entry: InboxItem, reading?: boolean): void;
  /** Moves the selection by a number of items. */
  move(by: number): void;
  /** Selects the next item, wrapping around. */
  next(): void;
  /** Records another id under which the selected request is answered. */
  known(id: string): void;
}

/**
 * The list of inbox items and its selection. An item that the user answers or dismisses is replaced by the next one. A
 * request that leaves on its own stays visible as ended, so that nothing takes its place while the user reads, and no
 * answer goes to a request they haven't read.
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
    (entry: InboxItem, reading?: boolean) => weft.showInbox(entry, reading ?? weft.shown.get().inbox.reading),
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
    // If the selected item is gone, its index already has the next one.
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
