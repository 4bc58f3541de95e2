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
 * The files that match the text after an "@"; null while there is none. The previous result stays until the next one
 * arrives, so that the list doesn't flicker.
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

/** How a path is written in a prompt: on one line, without invisible or bidirectional characters. */
export function written(path: string): string {
  return `@${wholeLine(path)}`;
}
