import type { DisplayProps } from './display';
import { Prose } from './Prose';

/** A document in Markdown. */
export function Words({ input, phase }: DisplayProps) {
  return <Prose text={typeof input['text'] === 'string' ? input['text'] : ''} phase={phase} />;
}
