import { expect, it } from 'vitest';
import { agent, call, done, sequence } from '../transcript/events.fixture';
import { applyEvents } from '../transcript/fold';
import { emptyConversation, type ToolGroup } from '../transcript/model';
import { shortened, thinned } from './thin';

const input = { path: 'a' };

it('lets go of inputs and outputs of ended calls, and keeps their lines', () => {
  const conversation = applyEvents(
    emptyConversation,
    sequence(agent, { ...call(0, 0), input }, { ...call(0, 1), input }, done(0, 0, 'Read 3 lines')),
  );
  const group = thinned(conversation, new Set(['m1'])).messages[0]?.segments[0] as ToolGroup;
  expect(group.items[0]).toMatchObject({
    whole: false,
    input: undefined,
    summary: 'Read 3 lines',
    status: 'completed',
  });
  expect(group.items[1]).toMatchObject({ whole: true, input });
  expect(thinned(conversation, new Set(['other'])).messages[0]).toBe(conversation.messages[0]);
});

it('keeps what an ended call was about first', () => {
  const locations = [{ path: '/w/a.go', line: 7 }, { path: '/w/b.go' }];
  const many = Array.from({ length: 40 }, (_, i) => ({ path: `/w/${i}.go` }));
  const diff = { type: 'diff', path: '/w/a.go', line: 30, oldText: 'a', newText: 'b' } as const;
  const conversation = applyEvents(
    emptyConversation,
    sequence(
      agent,
      { ...call(0, 0), locations },
      { ...call(0, 1), locations: many },
      { ...call(0, 2), content: [diff] },
      { ...call(0, 3), content: [diff], locations },
      ...[0, 1, 2, 3].map((i) => done(0, i)),
    ),
  );
  const group = thinned(conversation, new Set(['m1'])).messages[0]?.segments[0] as ToolGroup;
  expect(group.items).toMatchObject([
    { locations, place: undefined },
    { locations: many.slice(0, 10), place: undefined },
    { locations: undefined, place: { path: '/w/a.go', line: 30 } },
    { locations, place: undefined },
  ]);
});

it('drops the start of a group that has grown long, and its places stay true', () => {
  const calls = Array.from({ length: 450 }, (_, i) => call(0, i));
  const conversation = shortened(applyEvents(emptyConversation, sequence(agent, ...calls)));
  const group = conversation.messages[0]?.segments[0] as ToolGroup;
  expect([group.firstItem, group.items.length, group.statusCounts]).toEqual([250, 200, { running: 450 }]);
  const later = applyEvents(conversation, sequence(done(0, 449), done(0, 3), call(0, 450)));
  const after = later.messages[0]?.segments[0] as ToolGroup;
  expect(after.items.at(-2)).toMatchObject({ status: 'completed' });
  expect([after.items.length, after.statusCounts]).toEqual([201, { running: 449, completed: 2 }]);
  expect(shortened(later)).toBe(later);
});
