import type { Run } from '../transcript/model';
import type { Agent, Member, MemberSeed, Space } from '../transport/api';
import { findMentions } from './mentions';

// The members of a space, and whom a prompt is for.

/** The member that receives prompts without a mention. There always is one. */
export function defaultMember({ members }: Pick<Space, 'members'>): Member {
  return members.find((member) => member.default) ?? (members[0] as Member);
}

export function isShared({ members }: Pick<Space, 'members'>): boolean {
  return members.length > 1;
}

/** Keys for comparing mentions: names are unique case-insensitively. */
function mentionable(members: readonly Member[]): Map<string, string> {
  return new Map(members.map(({ id, name }) => [`@${name.toLowerCase()}`, id]));
}

/** The ids of the members mentioned in a text, in order, each once. */
export function mentionedMembers(text: string, members: readonly Member[]): string[] {
  const found = findMentions(text.toLowerCase(), mentionable(members));
  return [...new Set(found.map(({ value }) => value))];
}

/** The recipients of a text: the mentioned members, else the default member. */
export function recipientsOf(text: string, space: Pick<Space, 'members'>): Member[] {
  const named = mentionedMembers(text, space.members);
  if (named.length === 0) return [defaultMember(space)];
  return named.flatMap((id) => space.members.find((member) => member.id === id) ?? []);
}

/** Returns the text without member names, so that they are not mistaken for files. */
export function withoutMembers(text: string, members: readonly Member[]): string {
  const lower = text.toLowerCase();
  // Some letters change their length with their case, which would shift the positions.
  if (lower.length !== text.length) return text;
  let rest = text;
  for (const { at, label } of findMentions(lower, mentionable(members)))
    rest = rest.slice(0, at) + ' '.repeat(label.length) + rest.slice(at + label.length);
  return rest;
}

/** The current run of a member, if any. */
export function runOfMember(runs: readonly Run[], memberId: string): Run | undefined {
  return runs.find((run) => run.memberId === memberId && run.home === '');
}

/** Characters that a name must not contain, because it ends where the word after the @ ends. */
const notInNames = /[^\p{L}\p{N}\p{M}_-]/u;

/** Suggests a name for a new member: that of its agent, made unique. */
export function nameFor(agent: Pick<Agent, 'name'>, taken: readonly string[]): string {
  const there = new Set(taken.map((name) => name.trim().toLowerCase()));
  const plain = agent.name.split(notInNames).filter(Boolean).join('-') || 'Agent';
  let name = plain;
  for (let n = 2; there.has(name.toLowerCase()); n++) name = `${plain}-${n}`;
  return name;
}

export function seedFor(agent: Pick<Agent, 'id' | 'name'>, taken: readonly string[]): MemberSeed {
  return { name: nameFor(agent, taken), agentId: agent.id, role: '', speaks: 'direct', reads: 'all' };
}

/** Applies a change to a member: a suggested name follows the agent. */
export function renamed(
  before: MemberSeed,
  after: MemberSeed,
  agents: readonly Pick<Agent, 'id' | 'name'>[],
  others: readonly string[],
): MemberSeed {
  const was = agents.find(({ id }) => id === before.agentId);
  const is = agents.find(({ id }) => id === after.agentId);
  if (was === is || was === undefined || is === undefined) return after;
  return before.name === nameFor(was, others) ? { ...after, name: nameFor(is, others) } : after;
}

/** Returns why a member name is invalid, or null. */
export function nameError(name: string, others: readonly string[]): 'empty' | 'taken' | 'letters' | null {
  const plain = name.trim();
  if (plain === '') return 'empty';
  if (notInNames.test(plain)) return 'letters';
  return others.some((other) => other.trim().toLowerCase() === plain.toLowerCase()) ? 'taken' : null;
}

/** The first words of a role, to fit one line. */
export function roleLine(role: string): string {
  return role.trim().split('\n', 1)[0] ?? '';
}

/** Adds a member to a team, preferably with an agent that isn't in it yet. The first member uses the chosen agent. */
export function withAddedMember(
  team: readonly MemberSeed[],
  chosen: Agent | undefined,
  agents: readonly Agent[],
): readonly MemberSeed[] {
  const now = team.length > 0 || chosen === undefined ? team : [seedFor(chosen, [])];
  const there = new Set(now.map(({ agentId }) => agentId));
  const next = agents.find(({ id }) => !there.has(id)) ?? agents[0];
  if (next === undefined) return team;
  const names = now.map(({ name }) => name);
  return [...now, seedFor(next, names)];
}
