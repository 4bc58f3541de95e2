import { type QueryKey, type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useWeft, type Weft } from '../state/weft';
import { asCommandError, type CommandError } from '../transport/transport';

type Options<T> = Omit<UseQueryOptions<T>, 'queryKey' | 'queryFn'>;

/** For responses that no event invalidates: refetched whenever a view of them is opened. */
export const alwaysStale = { staleTime: 0 } as const;
/** The same, and a view never shows what an earlier one fetched. */
export const neverShared = { staleTime: 0, gcTime: 0 } as const;

/** Returns a response of the backend from the cache of the window: views of the same response share one request. */
export function useBackendQuery<T>(
  key: QueryKey,
  read: (weft: Weft) => Promise<T>,
  options: Options<T> = {},
): UseQueryResult<T, CommandError> {
  const weft = useWeft();
  return useQuery({ ...options, queryKey: key, queryFn: () => withCommandErrors(read(weft)) }, weft.queries);
}

/** Makes sure that failures are a CommandError. */
export async function withCommandErrors<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw asCommandError(error);
  }
}

/** Debounces a value, so that a request isn't sent for every typed character. */
export function useDebounced<T>(value: T, afterMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}

/** Returns the last available response, which stays visible until the next one arrives, even if that fails. */
export function useLatest<T>(answer: T | undefined): T | undefined {
  const last = useRef(answer);
  if (answer !== undefined) last.current = answer;
  return answer ?? last.current;
}
