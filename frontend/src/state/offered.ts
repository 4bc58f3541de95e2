import { type Conversation, stateKey } from '../transcript/model';
import { objectOf } from '../transcript/object';
import type { Json } from '../transcript/types';
import type { Can, Member, Offered, SessionOption } from '../transport/api';

export interface SlashCommand {
  name: string;
  description: string;
  hint: string;
}

/** The options and commands of a member's session, as stored by Weft's backend; null if there was no session yet. */
export function offeredOf(conversation: Pick<Conversation, 'state'>, memberId: string): Offered | null {
  const value = conversation.state[stateKey('session', memberId)];
  return value === undefined || value === null ? null : (value as unknown as Offered);
}

/** The capabilities of a member's agent, once known for its current agent. */
export function capabilitiesOf(
  conversation: Conversation,
  member: Pick<Member, 'id' | 'agentId'>,
): Can | null {
  const offered = offeredOf(conversation, member.id);
  return offered?.agentId === member.agentId ? offered.can : null;
}

const weights = ['model', 'mode', 'thought_level'];

/** Sorts the options in the order in which users look for them. */
export function ordered(options: readonly SessionOption[]): SessionOption[] {
  const weight = ({ category, id }: SessionOption) => {
    const at = weights.indexOf(category ?? id);
    return at < 0 ? weights.length : at;
  };
  return options.toSorted((a, b) => weight(a) - weight(b));
}

/** The model of a member, among its available models. */
export function modelOf(
  conversation: Pick<Conversation, 'state'>,
  memberId: string,
): SessionOption | undefined {
  return offeredOf(conversation, memberId)?.options?.find(({ id, category }) => (category ?? id) === 'model');
}

/** The name of a member's model, or its id if it has no name. */
export function modelName(
  conversation: Pick<Conversation, 'state'>,
  memberId: string,
  model: string,
): string {
  const known = modelOf(conversation, memberId)?.choices?.find(({ value }) => value === model);
  return known?.name ?? model;
}

/** Reports whether an option controls how much an agent may do without asking. */
export function isMode({ id, category, type }: SessionOption): boolean {
  return type === 'select' && (category ?? id) === 'mode';
}

/** The name of the current value. */
export function currentName(option: SessionOption): string {
  if (typeof option.current === 'boolean') return option.name;
  return option.choices?.find(({ value }) => value === option.current)?.name ?? String(option.current);
}

/** The valid slash commands of a member. */
export function commandsOf(conversation: Conversation, memberId: string): SlashCommand[] {
  const list = conversation.state[stateKey('commands', memberId)];
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry) => {
    const name = textAt(entry, 'name').replace(/^\//, '');
    if (name === '') return [];
    const input = objectOf(entry)?.['input'] ?? null;
    return [{ name, description: textAt(entry, 'description'), hint: textAt(input, 'hint') }];
  });
}

function textAt(value: Json, key: string): string {
  const text = objectOf(value)?.[key];
  return typeof text === 'string' ? text : '';
}
