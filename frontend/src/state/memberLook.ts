import { mainMember } from '../transcript/model';
import type { Member } from '../transport/api';

// How members are told apart at a glance: a color of the theme and two letters.

/** How many colors the theme has: --member-1 … --member-8. */
export const tones = 8;

/** The color of a member that is known by its id only. It never changes. */
export function toneOf(memberId: string): number {
  if (memberId === mainMember) return 1;
  let sum = 7;
  for (const char of memberId) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 9973;
  return 1 + (sum % tones);
}

/** The colors of the members of a space: their own, or the next that is free. */
export function tonesOf(members: readonly Pick<Member, 'id'>[]): ReadonlyMap<string, number> {
  const out = new Map<string, number>();
  const used = new Set<number>();
  for (const { id } of members) {
    let tone = toneOf(id);
    for (let tries = 0; used.has(tone) && tries < tones; tries++) tone = (tone % tones) + 1;
    used.add(tone);
    out.set(id, tone);
  }
  return out;
}

/** Two letters of a name: of its first two words, else its first two. */
export function monogram(name: string): string {
  const words = name.split(/[\s\-_.]+/).filter((word) => word !== '');
  const [first = '?', second] = words;
  const letters = Array.from(first);
  const one = letters[0] ?? '?';
  const two = second === undefined ? letters[1] : Array.from(second)[0];
  return second === undefined
    ? `${one.toUpperCase()}${(two ?? '').toLowerCase()}`
    : `${one}${two ?? ''}`.toUpperCase();
}
