import type { PermissionOption } from '../../transcript/types';

/** An option of the agent, with its place in the agent's list. */
export interface Choice {
  index: number;
  option: PermissionOption;
}

export interface Sides {
  allow: Choice[];
  reject: Choice[];
  /** What a click on Allow or Reject chooses; null where that isn't one thing, and the menu has to be opened. */
  once: { allow: Choice | null; reject: Choice | null };
}

/** Every option stands in the menu of Allow or of Reject. What isn't known to reject counts as allowing. */
export function sidesOf(options: readonly PermissionOption[]): Sides {
  const allow: Choice[] = [];
  const reject: Choice[] = [];
  options.forEach((option, index) => {
    (option.kind.startsWith('reject') ? reject : allow).push({ index, option });
  });
  return { allow, reject, once: { allow: only(allow, 'allow_once'), reject: only(reject, 'reject_once') } };
}

function only(choices: readonly Choice[], kind: string): Choice | null {
  const fitting = choices.filter(({ option }) => option.kind === kind);
  return fitting.length === 1 ? (fitting[0] ?? null) : null;
}
