// @vitest-environment jsdom
import { describe, expect, it, vi } from 'vitest';
import { agent, call, done, sequence, text, thought } from '../../transcript/events.fixture';
import { applyEvents } from '../../transcript/fold';
import { type Conversation, emptyConversation } from '../../transcript/model';
import { unstyled } from '../../transcript/style';
import type { Target } from '../find/spot';
import { Disclosures } from './disclosure';
import { ProseDocuments } from './prose';
import { openTo } from './reveal';
import { RowMaker } from './rows';

const m1 = { ...agent, messageId: 'm1', runId: 'r' };
const of = <T extends object>(body: T) => ({ ...body, messageId: 'm1' });

function target(segment: number, item: number, query?: string, before = '', after = ''): Target {
  const mark = query === undefined ? null : { query, before, after };
  return { place: { messageId: 'm1', segment, item }, mark, view: null, opens: true };
}

function opened(
  conversation: Conversation,
  to: Target,
  thoughts: 'in-place' | 'top' | 'hidden' = 'in-place',
) {
  const rows = new RowMaker(new ProseDocuments(() => {})).rows(conversation, thoughts, unstyled);
  const disclosures = new Disclosures();
  const open: string[] = [];
  const set = disclosures.set.bind(disclosures);
  disclosures.set = (key, value) => {
    if (value) open.push(key);
    set(key, value);
  };
  const reveal = vi.fn();
  const drawn = openTo(to, conversation, rows, { disclosures, thinks: () => thoughts !== 'hidden', reveal });
  return { key: drawn === null ? null : rows[drawn.row]?.key, inside: drawn?.inside, open, reveal };
}

const talk = applyEvents(
  emptyConversation,
  sequence(
    m1,
    of(text(0, 'First words.')),
    of(thought(1, 0, 'Hm.')),
    of(call(1, 1)),
    of(done(1, 1)),
    of(call(1, 2)),
    of(done(1, 2)),
    of(
      text(
        2,
        `${'A paragraph of words.\n\n'.repeat(400)}The needle is here.\n\n${'More.\n\n'.repeat(200)}needle`,
      ),
    ),
  ),
);

describe('what is opened for a place', () => {
  it('is nothing for a message and a text', () => {
    expect(opened(talk, target(-1, -1))).toMatchObject({ key: 'm1:head', inside: '', open: [] });
    expect(opened(talk, target(0, -1)).key).toMatch(/^m1:0:/);
  });

  it('is the group and the call, or the thought', () => {
    const to = opened(talk, target(1, 2));
    expect(to).toMatchObject({ key: 'm1:1', inside: 'm1:1:2' });
    expect(to.open).toEqual(['m1:1', 'm1:1:2']);
    expect(opened(talk, target(1, 0)).open).toEqual(['m1:1', 'm1:1:0']);
    // If the match is in a call's title, its details stay closed.
    const titled = target(1, 2, 'read');
    expect(
      opened(talk, { ...titled, mark: { query: 'read', before: '', after: '', source: 'title' } }).open,
    ).toEqual(['m1:1']);
  });

  it('is the part of a long text in which the match is, told by what is around it', () => {
    const first = opened(talk, target(2, -1, 'needle', 'The ', ' is here.')).key;
    const last = opened(talk, target(2, -1, 'needle', 'More.\n\n', '')).key;
    expect(first).not.toBe(last);
    expect(opened(talk, target(2, -1)).key).toBe('m1:2:g0');
  });

  it('are hidden thoughts, which are asked for', () => {
    const { key, reveal } = opened(talk, target(1, 0), 'hidden');
    expect(key).toBeNull();
    expect(reveal).toHaveBeenCalledWith('m1', 'thoughts');
    expect(opened(talk, target(1, 0), 'top')).toMatchObject({
      key: 'm1:thoughts',
      inside: 'm1:1:0',
      open: ['m1:1:0'],
    });
  });

  it('is nothing where the place is not held', () => {
    expect(opened(talk, target(9, 0)).key).toBeNull();
    expect(
      opened(talk, { ...target(0, 0), place: { messageId: 'other', segment: 0, item: 0 } }).key,
    ).toBeNull();
  });

  it('is every call that a nested one is under', () => {
    const nested = applyEvents(
      emptyConversation,
      sequence(
        m1,
        of(call(0, 0)),
        of({ ...call(0, 1), parentToolCallId: 't0' }),
        of({ ...call(0, 2), parentToolCallId: 't1' }),
      ),
    );
    const ids = nested.messages[0]?.segments.flatMap((s) => (s.type === 'tool-group' ? s.items : [])) ?? [];
    const names = ids.map((item) => (item.type === 'tool_call' ? item.toolCallId : ''));
    const under = applyEvents(
      emptyConversation,
      sequence(
        m1,
        of(call(0, 0)),
        of({ ...call(0, 1), parentToolCallId: names[0] ?? '' }),
        of({ ...call(0, 2), parentToolCallId: names[1] ?? '' }),
      ),
    );
    expect(opened(under, target(0, 2)).open).toEqual([
      'm1:0',
      `m1:nest:${names[0]}`,
      `m1:nest:${names[1]}`,
      'm1:0:2',
    ]);
  });
});
