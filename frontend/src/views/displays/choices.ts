import { objectOf } from '../../transcript/object';
import type { Json } from '../../transcript/types';
import { type Fields, fieldsIn, line, list } from './read';

export interface Option {
  /** As the agent has it: that is what it gets back. */
  id: Json;
  label: string;
  description: string;
}

/** What can be chosen from. One without an id is known by its label. */
export function optionsOf(input: Fields): Option[] {
  const plain = list(input['options']).flatMap((one) => (typeof one === 'string' ? [{ label: one }] : []));
  const offered: readonly Fields[] = plain.length > 0 ? plain : fieldsIn(input['options']);
  return offered.map((one) => ({
    id: one['id'] ?? line(one['label']),
    label: line(one['label']) || line(one['id']),
    description: line(one['description']),
  }));
}

/** The ids that were chosen, and what was written instead. */
export function chosenOf(answer: Json | undefined): { ids: readonly Json[]; other: string } {
  const of = objectOf(answer) ?? {};
  const one = of['choice'];
  return { ids: one === undefined ? list(of['choices']) : [one], other: line(of['other']) };
}
