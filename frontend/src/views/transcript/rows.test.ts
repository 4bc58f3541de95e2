// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { agent, call, done, sequence, text, thought } from '../../transcript/events.fixture';
import { applyEvents } from '../../transcript/fold';
import { type Conversation, emptyConversation } from '../../transcript/model';
import { ProseDocuments } from './prose';
import { type Row, RowMaker } from './rows';

const run = { type: 'run_created', runId: 'r1', agentId: 'a', agentName: 'Agent' } as const;
const make = (...bodies: Parameters<typeof sequence>) => applyEvents(emptyConversation, sequence(...bodies));
const maker = () => new RowMaker(new ProseDocuments(() => {}));
const kinds = (conversation: Conversation, thoughts: 'in-place' | 'top' | 'hidden' = 'in-place') =>
  maker()
    .rows(conversation, thoughts)
    .map(({ kind }) => kind);

/** Which texts end with the cursor. */
const cursors = (conversation: Conversation) =>
  maker()
    .rows(conversation, 'in-place')
    .flatMap((row) => (row.kind === 'prose' ? [row.cursor] : []));

/** The current text of a row. */
const said = (row: Row) =>
  row.kind !== 'prose'
    ? ''
    : (row.document.group(row.group)?.blocks ?? [])
        .map((block) => ('source' in block ? block.source : block.pieces.join('')))
        .join('');

const spoken = make(
  run,
  agent,
  text(0, 'I will '),
  thought(1, 0, 'hm'),
  text(2, 'look.'),
  call(3, 0),
  thought(3, 1, 'so'),
  done(3, 0),
);

describe('the rows of a transcript', () => {
  it('stand in the order of the segments', () => {
    expect(kinds(spoken)).toEqual(['header', 'prose', 'group', 'prose', 'group', 'tail']);
  });

  it('put thoughts on top, and draw what only they separated as one text', () => {
    expect(kinds(spoken, 'top')).toEqual(['header', 'thoughts', 'prose', 'group', 'tail']);
    const [, prose] = maker().rows(spoken, 'hidden');
    const blocks = prose?.kind === 'prose' ? prose.document.group(prose.group)?.blocks : undefined;
    expect(blocks).toMatchObject([{ source: expect.stringContaining('I will look.') }]);
  });

  it('keep texts apart that nothing separates, wherever thoughts stand', () => {
    const apart = make(
      run,
      agent,
      text(0, 'See /a/x'),
      text(1, 'I will go.'),
      thought(2, 0, 'hm'),
      text(3, ' Now.'),
    );
    expect(kinds(apart, 'hidden')).toEqual(['header', 'prose', 'prose']);
    const sources = maker()
      .rows(apart, 'hidden')
      .flatMap((row) => (row.kind === 'prose' ? row.document.group(row.group)?.blocks : []))
      .map((block) => (block !== undefined && 'source' in block ? block.source : undefined));
    expect(sources).toEqual(['See /a/x', 'I will go. Now.']);
  });

  it('say nothing of the end of a message that continues below what is held', () => {
    expect(kinds({ ...spoken, hasAfter: true })).toEqual(['header', 'prose', 'group', 'prose', 'group']);
  });

  it('leave thoughts out where they are hidden', () => {
    expect(kinds(spoken, 'hidden')).toEqual(['header', 'prose', 'group', 'tail']);
  });

  it('part a group where a display stands, and keep what did not change', () => {
    const made = maker();
    const before = make(run, agent, call(0, 0), done(0, 0), call(0, 1, { kind: 'display' }), call(0, 2));
    const first = made.rows(before, 'in-place');
    expect(first.map(({ kind }) => kind)).toEqual(['header', 'group', 'shown', 'group', 'tail']);
    expect(new Set(first.map(({ key }) => key)).size).toBe(first.length);
    const after = made.rows(applyEvents(before, sequence(call(0, 3))), 'in-place');
    expect(after[1]).toBe(first[1]);
    expect(after[2]).toBe(first[2]);
    expect(after[3]?.key).toBe(first[3]?.key);
    expect(after[3]).not.toBe(first[3]);
  });

  it('begin with a shimmer, and end with what went wrong', () => {
    expect(kinds(make(run, agent))).toEqual(['header', 'working']);
    // Weft's notes and notices are not answers.
    const noted = make(
      run,
      agent,
      { ...text(0, 'Set.'), author: 'app' },
      { ...text(1, 'Hi.'), author: 'notice' },
    );
    expect(kinds(noted)).toEqual(['header', 'prose', 'prose', 'working']);
    expect(cursors(noted)).toEqual([false, false]);
    expect(cursors(make(run, agent, text(0, 'x'), { ...text(1, 'Set.'), author: 'app' }))).toEqual([
      false,
      true,
    ]);
    const failed = make(run, agent, text(0, 'x'), {
      type: 'error',
      messageId: 'm1',
      code: 'c',
      message: 'Broken.',
    });
    const ended = applyEvents(
      failed,
      sequence(
        { type: 'message_end', messageId: 'm1', stopReason: 'error' },
        { type: 'run_completed', runId: 'r1', stopReason: 'error' },
      ),
    );
    expect(kinds(ended)).toEqual(['header', 'prose', 'error', 'footer']);
  });

  it('say why a turn stopped unless it was simply done', () => {
    const end = (stopReason: string) =>
      kinds(make(agent, text(0, 'x'), { type: 'message_end', messageId: 'm1', stopReason }));
    expect(end('end_turn')).toEqual(['header', 'prose', 'footer']);
    expect(end('max_tokens')).toEqual(['header', 'prose', 'end', 'footer']);
  });

  it('stay the same objects where they show the same', () => {
    const rows = maker();
    const before = rows.rows(spoken, 'in-place');
    const after = rows.rows(applyEvents(spoken, sequence(text(4, 'More.'))), 'in-place');
    expect(after.map(({ kind }) => kind)).toEqual(['header', 'prose', 'group', 'prose', 'group', 'prose']);
    for (const i of [1, 2, 3]) expect(after[i]).toBe(before[i]);
  });

  it('are the same list while the last text only grows', () => {
    const rows = maker();
    let conversation = applyEvents(spoken, sequence(text(4, 'More')));
    const before = rows.rows(conversation, 'in-place');
    const prose = before.at(-1);
    for (const more of [' and', ' more', '.\n\nAnd', ' a **second** paragraph']) {
      conversation = applyEvents(conversation, sequence(text(4, more)));
      expect(rows.rows(conversation, 'in-place')).toBe(before);
    }
    expect(prose === undefined ? '' : said(prose)).toBe('More and more.\n\nAnd a **second** paragraph');
    conversation = applyEvents(conversation, sequence(call(5, 0)));
    expect(rows.rows(conversation, 'in-place')).not.toBe(before);
  });

  const two = {
    ...agent,
    messageId: 'm2',
    runId: 'r2',
    author: { kind: 'agent', name: 'Tester', memberId: 'two' },
  };
  const both = make(run, { ...run, runId: 'r2', memberId: 'two' }, agent, two, text(0, 'one'), {
    ...text(0, 'two'),
    messageId: 'm2',
  });

  it('show each of several messages as being written, until its own run ends', () => {
    const live = (conversation: Conversation) =>
      maker()
        .rows(conversation, 'in-place')
        .flatMap((row) => (row.kind === 'header' ? [row.live] : []));
    expect(live(both)).toEqual([true, true]);
    const done = applyEvents(both, sequence({ type: 'run_completed', runId: 'r1', stopReason: 'end_turn' }));
    expect(live(done)).toEqual([false, true]);
  });

  it('of one message stay the same objects while another one grows', () => {
    const rows = maker();
    const before = rows.rows(both, 'in-place');
    const after = rows.rows(applyEvents(both, sequence(text(0, ' more'))), 'in-place');
    const of = (list: typeof before, id: string) => list.filter((row) => row.key.startsWith(id));
    expect(of(after, 'm2')).toHaveLength(2);
    for (const [i, row] of of(after, 'm2').entries()) expect(row).toBe(of(before, 'm2')[i]);
    expect(of(after, 'm1').map(said)).toEqual(['', 'one more']);
  });

  it('say the name once where one run goes on', () => {
    const end = { type: 'message_end', messageId: 'm1', stopReason: '' } as const;
    const goesOn = make(run, agent, text(0, 'x'), end, { ...agent, messageId: 'm3' }, two);
    const follows = maker()
      .rows(goesOn, 'in-place')
      .flatMap((row) => (row.kind === 'header' ? [row.follows] : []));
    expect(follows).toEqual([false, true, false]);
  });

  it('grow with their text', () => {
    const rows = maker();
    const first = make(run, agent, text(0, 'one'));
    const row = rows.rows(first, 'in-place')[1];
    expect(row === undefined ? '' : said(row)).toBe('one');
    rows.rows(applyEvents(first, sequence(text(0, ' two'))), 'in-place');
    expect(row === undefined ? '' : said(row)).toBe('one two');
  });
});
