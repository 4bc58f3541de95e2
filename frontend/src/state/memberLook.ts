import { mainMember } from '../transcript/model';
import type { Member } from '../transport/api';

// Distinguishes members at a glance by a theme color and two letters.

/** Number of member colors in the theme: --member-1 … --member-8. */
export const toneCount = 8;

/** The color of a member known only by id. It never changes. */
export function toneOf(memberId: string): number {
  if (memberId === mainMember) return 1;
  let sum = 7;
  for (const char of memberId) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 9973;
  return 1 + (sum % toneCount);
}

/** Assigns colors to the members of a space: their own, or the next free one. */
export function tonesOf(members: readonly Pick<Member, 'id'>[]): ReadonlyMap<string, number> {
  const out = new Map<string, number>();
  const used = new Set<number>();
  for (const { id } of members) {
    let tone = toneOf(id);
    for (let tries = 0; used.has(tone) && tries < toneCount; tries++) tone = (tone % toneCount) + 1;
    used.add(tone);
    out.set(id, tone);
  }
  return out;
}

/** Two letters for a name: the initials of its first two words, otherwise its first two letters. */
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
