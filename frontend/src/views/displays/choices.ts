import { objectOf } from '../../transcript/object';
import type { Json } from '../../transcript/types';
import { type Fields, fieldsIn, line, list } from './read';

export interface Option {
  /** The agent's own id, which it gets back. */
  id: Json;
  label: string;
  description: string;
}

/** The available options. An option without an id is identified by its label. */
export function optionsOf(input: Fields): Option[] {
  const plain = list(input['options']).flatMap((one) => (typeof one === 'string' ? [{ label: one }] : []));
  const offered: readonly Fields[] = plain.length > 0 ? plain : fieldsIn(input['options']);
  return offered.map((one) => ({
    id: one['id'] ?? line(one['label']),
    label: line(one['label']) || line(one['id']),
    description: line(one['description']),
  }));
}

/** The chosen ids, and the free text. */
export function chosenOf(answer: Json | undefined): { ids: readonly Json[]; other: string } {
  const of = objectOf(answer) ?? {};
  const one = of['choice'];
  return { ids: one === undefined ? list(of['choices']) : [one], other: line(of['other']) };
}
