import { type QueryKey, type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useWeft, type Weft } from '../state/weft';
import { asCommandError, type CommandError } from '../transport/transport';

type Options<T> = Omit<UseQueryOptions<T>, 'queryKey' | 'queryFn'>;

/** An answer that no event makes outdated is read again whenever a view of it is opened. */
export const fresh = { staleTime: 0 } as const;
/** The same, and the view never shows what an earlier one has read. */
export const once = { staleTime: 0, gcTime: 0 } as const;

/** What the backend answers, from the cache of the window: views of the same answer share one request. */
export function useAnswer<T>(
  key: QueryKey,
  read: (weft: Weft) => Promise<T>,
  options: Options<T> = {},
): UseQueryResult<T, CommandError> {
  const weft = useWeft();
  return useQuery({ ...options, queryKey: key, queryFn: () => asked(read(weft)) }, weft.queries);
}

/** Rejects with a CommandError, always. */
export async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw asCommandError(error);
  }
}

/** A value once it has not changed for a while: nothing is asked for every letter that is typed. */
export function useSettled<T>(value: T, afterMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}

/** The last answer that there was: it stays in view until the next one is there, also when that fails. */
export function useLast<T>(answer: T | undefined): T | undefined {
  const last = useRef(answer);
  if (answer !== undefined) last.current = answer;
  return answer ?? last.current;
}
