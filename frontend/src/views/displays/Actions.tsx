import { oneLine } from '../parts/clean';
import type { Ask } from './display';
import { type Fields, fieldsIn, line } from './read';

const most = 20;

/** The buttons of a display, from the agent. */
export function actionsOf(input: Fields): Fields[] {
  return fieldsIn(input['actions']).slice(0, most);
}

/** Answers with the button at an index. */
export function choose(ask: Ask, actions: readonly Fields[], at: number): void {
  const action = actions[at];
  if (action !== undefined) ask.send({ action: action['id'] ?? line(action['label']) });
}

/** The label of an answer's button. */
export function labelOf(actions: readonly Fields[], id: unknown): string {
  const action = actions.find((one) => (one['id'] ?? one['label']) === id);
  return line(action?.['label']) || (typeof id === 'string' || typeof id === 'number' ? String(id) : '');
}

export function Actions({ of, ask }: { of: readonly Fields[]; ask: Ask }) {
  return of.map((action, i) => (
    <button
      // biome-ignore lint/suspicious/noArrayIndexKey: agents may use an id twice
      key={i}
      type="button"
      className={`option button ${action['style'] === 'primary' ? 'primary' : ''}`}
      data-style={action['style'] === 'danger' ? 'danger' : undefined}
      aria-disabled={ask.sending}
      onClick={() => choose(ask, of, i)}
    >
      {oneLine(line(action['label']) || line(action['id']))}
      {ask.numbered && i < 9 && <kbd aria-hidden>{i + 1}</kbd>}
    </button>
  ));
}
