import { useEffect, useRef, useState } from 'react';
import { findFiles } from '../../commands/prompts';
import { useWeft } from '../../state/weft';
import type { FileMatch } from '../../transport/api';
import { wholeLine } from '../parts/clean';

const limit = 30;

export interface FoundFiles {
  query: string;
  files: readonly FileMatch[];
  state: 'loading' | 'found' | 'failed';
}

/**
 * The files that fit what is typed after an "@"; null while nothing is. What was found last stays until the
 * next answer is there, so that the list does not blink.
 */
export function useFiles(spaceId: string, query: string | null): FoundFiles | null {
  const weft = useWeft();
  const [found, setFound] = useState<FoundFiles | null>(null);
  const asked = useRef(0);
  useEffect(() => {
    const ask = ++asked.current;
    if (query === null) {
      setFound(null);
      return;
    }
    setFound((before) => ({ query, files: before?.files ?? [], state: 'loading' }));
    findFiles(weft, { spaceId, query, limit }).then(
      ({ files }) => {
        if (ask === asked.current) setFound({ query, files: files ?? [], state: 'found' });
      },
      () => {
        if (ask === asked.current) setFound({ query, files: [], state: 'failed' });
      },
    );
  }, [weft, spaceId, query]);
  return found;
}

/** How a path is written in a prompt: one line, and nothing in it that hides or turns. */
export function written(path: string): string {
  return `@${wholeLine(path)}`;
}
