import { describe, expect, it } from 'vitest';
import { applyEvents } from '../../transcript/fold';
import { emptyConversation, type Terminal } from '../../transcript/model';
import { textBefore } from '../../transcript/terminal';
import { GrowingText } from '../../transcript/text';
import type { Event } from '../../transcript/types';
import { exitWords, lastLine, screenOf } from './terminal';

const text = (...pieces: string[]) => {
  const grown = new GrowingText();
  for (const piece of pieces) grown.append(piece);
  return grown;
};

it.each([
  [{ exitCode: 0 }, 'Exit code 0'],
  [{ exitCode: 3 }, 'Exit code 3'],
  [{ signal: 'SIGTERM' }, 'Stopped by SIGTERM'],
  [{ killed: true, signal: 'SIGKILL' }, 'Stopped by you (SIGKILL)'],
  [{ killed: true }, 'Stopped by you'],
  [{ killed: true, signal: '', exitCode: 1 }, 'Stopped by you'],
  [{ signal: '' }, 'Ended'],
  [{}, 'Ended'],
  [{ lost: true }, 'Stopped when Weft was closed'],
])('an end of %j reads “%s”', (exit, words) => expect(exitWords(exit)).toBe(words));

describe('the last line', () => {
  it.each([
    [['one\n', 'two\n'], 'two'],
    [['one\ntw', 'o'], 'two'],
    [['a\n', '\n', '  \n'], 'a'],
    [['\u001b[31mred\u001b[0m\n'], 'red'],
    [['10 %\r', '20 %\r'], '20 %'],
    [[], ''],
    [['no end'], 'no end'],
  ])('of %j is %j', (pieces, want) => expect(lastLine(text(...pieces))).toBe(want));

  it('is found at the end of much', () => {
    const much = new GrowingText('', 1000);
    for (let i = 0; i < 10_000; i++) much.append(`line ${i}\n`);
    expect(lastLine(much)).toBe('line 9999');
  });
});

const terminal = (fields: Partial<Terminal>): Terminal => ({
  id: 'x',
  command: 'c',
  startedAt: 1,
  running: true,
  exit: {},
  start: 0,
  end: 0,
  size: 0,
  ...fields,
});

describe('what was pulled and what came since', () => {
  const pulled = terminal({ text: text('één\ntwo\n'), start: 0, end: 10 });
  it('touches', () => {
    expect(textBefore(pulled, terminal({ text: text('three'), start: 10, end: 15 }))).toBe('één\ntwo\n');
  });
  it('overlaps, counted in bytes', () => {
    expect(textBefore(pulled, terminal({ text: text('two\nthree'), start: 6, end: 15 }))).toBe('één\n');
  });
  it('has a gap: only what came since is true', () => {
    const live = terminal({ text: text('tail'), start: 500, end: 504 });
    expect(textBefore(pulled, live)).toBeUndefined();
    expect(screenOf(live, pulled)).toMatchObject({ before: '', gone: 500 });
  });
  it('has nothing since', () => {
    expect(screenOf(terminal({ end: -1 }), pulled)).toMatchObject({ before: 'één\ntwo\n', gone: 0 });
  });
  it('is pulled whole when it has ended', () => {
    const ended = screenOf(terminal({ running: false, end: -1 }), pulled);
    expect(ended.before + ended.text?.toString()).toBe('één\ntwo\n');
  });
});

it('drops what a delta with a gap does not continue', () => {
  const at = { messageId: 'm', segment: 0, item: 0, toolCallId: 't', epoch: 1, seq: 0, at: 1 };
  const delta = (piece: string, offset: number) =>
    ({ ...at, type: 'tool_output_delta', terminalId: 'x', delta: piece, offset }) as Event;
  const events = [
    { ...at, type: 'message_start', role: 'agent', author: { kind: 'agent' } },
    { ...at, type: 'tool_call_start', toolName: '', title: 'T', kind: 'execute', status: 'running' },
    { ...at, type: 'terminal_start', terminalId: 'x', command: 'yes', startedAt: 5 },
    delta('aé', 0),
    delta('b', 3),
    delta('tail', 900),
    delta('!', 904),
    { ...at, type: 'terminal_end', terminalId: 'x', exitCode: 0, durationMs: 7, size: 905 },
  ] as Event[];
  const group = applyEvents(emptyConversation, events).messages[0]?.segments[0];
  const call = group?.type === 'tool-group' ? group.items[0] : undefined;
  const made = call?.type === 'tool_call' ? call.terminals[0] : undefined;
  expect(made).toMatchObject({ start: 900, end: 905, running: false, exit: { exitCode: 0 }, size: 905 });
  expect(made?.text?.toString()).toBe('tail!');
});
