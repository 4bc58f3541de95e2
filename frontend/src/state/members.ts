import type { Run } from '../transcript/model';
import type { Agent, Member, MemberSeed, Space } from '../transport/api';
import { findMentions } from './mentions';

// Who is in a space, and who of them is asked.

/** There is always one that is asked where nobody is named. */
export function defaultMember({ members }: Pick<Space, 'members'>): Member {
  return members.find((member) => member.default) ?? (members[0] as Member);
}

export function isShared({ members }: Pick<Space, 'members'>): boolean {
  return members.length > 1;
}

/** How a mention is compared: names are unique whatever the case. */
function mentionable(members: readonly Member[]): Map<string, string> {
  return new Map(members.map(({ id, name }) => [`@${name.toLowerCase()}`, id]));
}

/** The ids of the members that a text names, in its order, each once. */
export function membersIn(text: string, members: readonly Member[]): string[] {
  const found = findMentions(text.toLowerCase(), mentionable(members));
  return [...new Set(found.map(({ value }) => value))];
}

/** Those that a text is for: whom it names, else the default member. */
export function askedIn(text: string, space: Pick<Space, 'members'>): Member[] {
  const named = membersIn(text, space.members);
  if (named.length === 0) return [defaultMember(space)];
  return named.flatMap((id) => space.members.find((member) => member.id === id) ?? []);
}

/** The text without the names of members, so that none of them is taken for a file. */
export function withoutMembers(text: string, members: readonly Member[]): string {
  const lower = text.toLowerCase();
  // Some letters change their length with their case: then the places would be wrong.
  if (lower.length !== text.length) return text;
  let rest = text;
  for (const { at, label } of findMentions(lower, mentionable(members)))
    rest = rest.slice(0, at) + ' '.repeat(label.length) + rest.slice(at + label.length);
  return rest;
}

/** What a member does now, if it works. */
export function runOfMember(runs: readonly Run[], memberId: string): Run | undefined {
  return runs.find((run) => run.memberId === memberId && run.home === '');
}

/** What cannot be in a name, which has to end where the word behind the @ does. */
const unspoken = /[^\p{L}\p{N}\p{M}_-]/u;

/** A name for a new member: its agent's, told apart from those that are there. */
export function nameFor(agent: Pick<Agent, 'name'>, taken: readonly string[]): string {
  const there = new Set(taken.map((name) => name.trim().toLowerCase()));
  const plain = agent.name.split(unspoken).filter(Boolean).join('-') || 'Agent';
  let name = plain;
  for (let n = 2; there.has(name.toLowerCase()); n++) name = `${plain}-${n}`;
  return name;
}

export function seedFor(agent: Pick<Agent, 'id' | 'name'>, taken: readonly string[]): MemberSeed {
  return { name: nameFor(agent, taken), agentId: agent.id, role: '', speaks: 'direct', reads: 'all' };
}

/** A member as it was changed: a name that was only suggested follows the agent. */
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

/** Why a name cannot be a member's, or nothing. */
export function wrongName(name: string, others: readonly string[]): 'empty' | 'taken' | 'letters' | null {
  const plain = name.trim();
  if (plain === '') return 'empty';
  if (unspoken.test(plain)) return 'letters';
  return others.some((other) => other.trim().toLowerCase() === plain.toLowerCase()) ? 'taken' : null;
}

/** The first words of a role, for a line. */
export function roleLine(role: string): string {
  return role.trim().split('\n', 1)[0] ?? '';
}

/** A team with one more member: an agent that isn't in it, where there is one. The first is the agent that was chosen. */
export function withAnother(
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
