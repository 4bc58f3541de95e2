import { type Conversation, stateKey } from '../transcript/model';
import { objectOf } from '../transcript/object';
import type { Json } from '../transcript/types';
import type { Can, Member, Offered, SessionOption } from '../transport/api';

export interface SlashCommand {
  name: string;
  description: string;
  hint: string;
}

/** What a member's session offers, as Weft's backend has put it down; null before there was one. */
export function offeredOf(conversation: Pick<Conversation, 'state'>, memberId: string): Offered | null {
  const value = conversation.state[stateKey('session', memberId)];
  return value === undefined || value === null ? null : (value as unknown as Offered);
}

/** What a member's agent can do, once that is known of the agent that it is now. */
export function canOf(conversation: Conversation, member: Pick<Member, 'id' | 'agentId'>): Can | null {
  const offered = offeredOf(conversation, member.id);
  return offered?.agentId === member.agentId ? offered.can : null;
}

const weights = ['model', 'mode', 'thought_level'];

/** The options in the order in which people look for them. */
export function ordered(options: readonly SessionOption[]): SessionOption[] {
  const weight = ({ category, id }: SessionOption) => {
    const at = weights.indexOf(category ?? id);
    return at < 0 ? weights.length : at;
  };
  return options.toSorted((a, b) => weight(a) - weight(b));
}

/** The model of a member, among what can be chosen for it. */
export function modelOf(
  conversation: Pick<Conversation, 'state'>,
  memberId: string,
): SessionOption | undefined {
  return offeredOf(conversation, memberId)?.options?.find(({ id, category }) => (category ?? id) === 'model');
}

/** What a member calls one of its models; the model's id where it tells no name. */
export function modelName(
  conversation: Pick<Conversation, 'state'>,
  memberId: string,
  model: string,
): string {
  const known = modelOf(conversation, memberId)?.choices?.find(({ value }) => value === model);
  return known?.name ?? model;
}

/** Whether an option is one of those that say how much an agent may do by itself. */
export function isMode({ id, category, type }: SessionOption): boolean {
  return type === 'select' && (category ?? id) === 'mode';
}

/** The name of what is chosen. */
export function currentName(option: SessionOption): string {
  if (typeof option.current === 'boolean') return option.name;
  return option.choices?.find(({ value }) => value === option.current)?.name ?? String(option.current);
}

/** A member's slash commands, as far as they can be read. */
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
