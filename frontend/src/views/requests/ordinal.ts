import { useLayoutEffect, useState } from 'react';

/** The names of elements on the page, and which numbers of each are taken. */
const names = new Map<string, Set<number>>();

/** Numbers the elements with the same name on the page, from 1. */
export function useOrdinal(name: string): number {
  const [ordinal, setOrdinal] = useState(1);
  useLayoutEffect(() => {
    const taken = names.get(name) ?? new Set<number>();
    names.set(name, taken);
    let own = 1;
    while (taken.has(own)) own++;
    taken.add(own);
    setOrdinal(own);
    return () => {
      taken.delete(own);
      if (taken.size === 0) names.delete(name);
    };
  }, [name]);
  return ordinal;
}
