import type { PermissionOption } from '../../transcript/types';

/** An option of the agent with its index. */
export interface Choice {
  index: number;
  option: PermissionOption;
}

export interface Sides {
  allow: Choice[];
  reject: Choice[];
  /** The option for a click on Allow or Reject; null if it is ambiguous and the menu must be opened. */
  once: { allow: Choice | null; reject: Choice | null };
}

/** Each option is in the Allow or Reject menu. Anything not known to reject counts as allowing. */
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

const times: Readonly<Record<string, 'once' | 'always'>> = {
  allow_once: 'once',
  allow_always: 'always',
  reject_once: 'once',
  reject_always: 'always',
};

/** Distinguishes options of the same name, by index: how long they apply, otherwise the words of their ids. */
export function hintsOf(
  choices: readonly Choice[],
): ReadonlyMap<number, { kind: 'once' | 'always' } | { words: string }> {
  const hints = new Map<number, { kind: 'once' | 'always' } | { words: string }>();
  const named = (choice: Choice) => choice.option.name.trim().toLowerCase();
  for (const choice of choices) {
    const same = choices.filter((other) => named(other) === named(choice));
    if (same.length < 2) continue;
    const kind = times[choice.option.kind];
    if (kind !== undefined && same.filter(({ option }) => option.kind === choice.option.kind).length === 1)
      hints.set(choice.index, { kind });
    else hints.set(choice.index, { words: wordsOf(choice.option.optionId) });
  }
  return hints;
}

/** The words of an id such as `proceed_always_server` or `allowAlwaysTool`. */
function wordsOf(id: string): string {
  return id
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_\-:./\s]+/g, ' ')
    .trim()
    .slice(0, 80);
}
