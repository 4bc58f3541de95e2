import type { DisplayProps } from './display';
import { Prose } from './Prose';

/** A Markdown document. */
export function DocumentDisplay({ input, phase }: DisplayProps) {
  return <Prose text={typeof input['text'] === 'string' ? input['text'] : ''} phase={phase} />;
}
