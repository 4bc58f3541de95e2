import { useMemo } from 'react';
import type { Content } from '../../transcript/types';
import { DiffView } from '../tools/DiffView';
import { WritingView } from '../tools/WritingView';
import type { DisplayProps } from './display';
import { line } from './read';

/** A change of a text; while it is being written, its end. */
export function Difference({ input, call, phase }: DisplayProps) {
  const oldText = typeof input['oldText'] === 'string' ? input['oldText'] : '';
  const newText = typeof input['newText'] === 'string' ? input['newText'] : '';
  const path = line(input['path']);
  const content = useMemo<Content>(
    () => ({ type: 'diff', path, oldText, newText, newFile: oldText === '' }),
    [path, oldText, newText],
  );
  if (phase === 'writing' && call.writing !== undefined) {
    const current = call.writing?.all().findLast(({ field }) => field === 'newText' || field === 'oldText');
    return current === undefined ? null : <WritingView call={call} text={current} />;
  }
  return <DiffView content={content} language={line(input['language'])} />;
}
