import { useMemo, useRef } from 'react';
import type { Line } from '../../state/list';
import { useWeft } from '../../state/weft';

export interface Picks {
  toggle(key: string): void;
  /** Selects everything from the last selected space up to this one. */
  to(key: string): void;
  all(): void;
  clear(): void;
}

/** Selects spaces for bulk actions. */
export function useListPicks(lines: readonly Line[]): Picks {
  const weft = useWeft();
  const from = useRef('');
  return useMemo(() => {
    const ids = lines.flatMap((line) => (line.kind === 'space' ? [line.key] : []));
    const set = (picked: ReadonlySet<string>) => weft.list.set({ picked });
    return {
      toggle: (key) => {
        const picked = new Set(weft.list.get().picked);
        if (!picked.delete(key)) picked.add(key);
        from.current = key;
        set(picked);
      },
      to: (key) => {
        const start = ids.indexOf(from.current);
        const end = ids.indexOf(key);
        if (end < 0) return;
        if (start < 0) from.current = key;
        const first = start < 0 ? end : start;
        set(
          new Set([...weft.list.get().picked, ...ids.slice(Math.min(first, end), Math.max(first, end) + 1)]),
        );
      },
      all: () => set(new Set(ids)),
      clear: () => set(new Set()),
    };
  }, [lines, weft]);
}
