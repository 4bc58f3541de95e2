import { expect, it } from 'vitest';
import { partsOf } from './displays';
import { agent, call, done, sequence } from './events.fixture';
import { applyEvents } from './fold';
import { emptyConversation, type ToolGroup } from './model';

function groupOf(...kinds: string[]): ToolGroup {
  const events = sequence(
    agent,
    ...kinds.flatMap((kind, i) => [call(0, i, { kind, title: `${kind} ${i}` }), done(0, i)]),
  );
  const segment = applyEvents(emptyConversation, events).messages[0]?.segments[0];
  if (segment?.type !== 'tool-group') throw new Error('no group');
  return segment;
}

/** The parts as text: the items of a group, or a display with its location. */
const told = (group: ToolGroup) =>
  partsOf(group, 0)?.map((part) =>
    part.type === 'group'
      ? part.group.items.map((_, i) => part.group.indices?.[i] ?? '?').join(' ')
      : `display ${part.segment}.${part.item}`,
  );

it('a group without a display stays what it is', () => {
  expect(partsOf(groupOf('read', 'edit'), 0)).toBeNull();
});

it('displays part a group, and everything keeps its place', () => {
  expect(told(groupOf('read', 'edit', 'display', 'read', 'display', 'display', 'execute'))).toEqual([
    '0 1',
    'display 0.2',
    '3',
    'display 0.4',
    'display 0.5',
    '6',
  ]);
  expect(told(groupOf('display'))).toEqual(['display 0.0']);
});

it('each part counts its own calls', () => {
  const parts = partsOf(groupOf('read', 'display', 'edit', 'edit'), 0) ?? [];
  const counts = parts.flatMap((part) => (part.type === 'group' ? [part.group.kindCounts] : []));
  expect(counts).toEqual([{ read: 1 }, { edit: 2 }]);
});

it('what is not held stands before the first part', () => {
  const whole = groupOf('read', 'display', 'edit');
  const held: ToolGroup = { ...whole, firstItem: 10, kindCounts: { read: 8, display: 3, edit: 2 } };
  const [first, shown, last] = partsOf(held, 0) ?? [];
  expect(first).toMatchObject({
    type: 'group',
    group: { firstItem: 10, kindCounts: { read: 8, display: 2, edit: 1 } },
  });
  expect(shown).toMatchObject({ type: 'shown', item: 11 });
  expect(last).toMatchObject({ type: 'group', group: { indices: [12], start: 12, kindCounts: { edit: 1 } } });
  const display: ToolGroup = { ...groupOf('display'), firstItem: 4, statusCounts: { completed: 5 } };
  expect(partsOf(display, 0)?.[0]).toMatchObject({
    group: { items: [], firstItem: 4, statusCounts: { completed: 4 } },
  });
});
