import { type Conversation, stateKey } from '../transcript/model';
import { objectOf } from '../transcript/object';
import type { Json } from '../transcript/types';
import type { Auth, Member } from '../transport/api';

export interface Choice {
  value: string;
  name: string;
  description?: string;
  group?: string;
}

/** Something about a session that a user can choose: its model, mode, thinking level … */
export interface Option {
  id: string;
  name: string;
  description?: string;
  category?: string;
  type: 'select' | 'boolean';
  current: string | boolean;
  choices?: Choice[];
}

/** What the agent can do besides answering text. */
export interface Can {
  image?: boolean;
  audio?: boolean;
  embedded?: boolean;
  fork?: boolean;
  list?: boolean;
  load?: boolean;
  logout?: boolean;
}

/** What became of one of the user's MCP servers in the session. */
export interface Handed {
  name: string;
  type: string;
  handed: boolean;
  /** The agent was seen to use it. */
  connected?: boolean;
  via?: 'gateway';
  why?: 'transport' | 'secret' | 'gateway';
  problem?: string;
}

export interface Offered {
  agentId: string;
  options: Option[] | null;
  can: Can;
  auth: Auth[] | null;
  /** The agent wants the user to sign in before it continues. */
  signIn?: boolean;
  servers?: Handed[] | null;
}

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
export function ordered(options: readonly Option[]): Option[] {
  const weight = ({ category, id }: Option) => {
    const at = weights.indexOf(category ?? id);
    return at < 0 ? weights.length : at;
  };
  return options.toSorted((a, b) => weight(a) - weight(b));
}

/** The model of a member, among what can be chosen for it. */
export function modelOf(conversation: Pick<Conversation, 'state'>, memberId: string): Option | undefined {
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

/** The name of what is chosen. */
export function currentName(option: Option): string {
  if (typeof option.current === 'boolean') return option.name;
  return option.choices?.find(({ value }) => value === option.current)?.name ?? option.current;
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
