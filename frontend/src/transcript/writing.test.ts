import { describe, expect, it, vi } from 'vitest';
import { applyEvents } from './fold';
import { emptyConversation, type ToolCall } from './model';
import { PartialJson } from './partialjson';
import type { Event } from './types';
import { Writing } from './writing';

function written(document: string, size = 3): Writing {
  const writing = new Writing();
  for (let i = 0; i < document.length; i += size) writing.append(document.slice(i, i + size));
  return writing;
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ number: from + i, text: `line ${from + i}` }));
const lines = (n: number) => Array.from({ length: n }, (_, i) => `line ${i + 1}`).join('\n');

describe('what is being written', () => {
  it('knows the beginning, the last lines and the counts of a text', () => {
    const writing = written(`{"path":"src/a.ts","content":${JSON.stringify(lines(3000)).slice(0, -1)}`);
    const text = writing.current;
    expect(text?.name).toBe('content');
    expect(text?.lines).toBe(3000);
    expect(text?.length).toBe(lines(3000).length);
    expect(text?.last(12)).toEqual(numbered(2989, 3000));
    expect(text?.tail.length).toBeLessThan(20_000);
    expect(writing.all()[0]?.head).toBe('src/a.ts');
  });

  it('shows all lines of a short text, and the one that is empty so far', () => {
    expect(written('{"content":"').current).toBeNull();
    expect(written('{"content":"a').current?.last(12)).toEqual([{ number: 1, text: 'a' }]);
    expect(written('{"content":"a\\n').current?.last(12)).toEqual([{ number: 1, text: 'a' }]);
    expect(written('{"content":"\\n\\nb').current?.last(12)).toEqual([
      { number: 1, text: '' },
      { number: 2, text: '' },
      { number: 3, text: 'b' },
    ]);
    expect(written(`{"content":${JSON.stringify(lines(12)).slice(0, -1)}\\n`).current?.last(12)).toEqual(
      numbered(1, 12),
    );
  });

  it('starts anew where a name comes again, and keeps texts in lists apart', () => {
    expect(
      written('{"a":"one","b":"x","a":"t')
        .all()
        .map(({ field, head }) => [field, head]),
    ).toEqual([
      ['b', 'x'],
      ['a', 't'],
    ]);
    const edits = written('{"edits":[{"old":"a","new":"b"},{"old":"c');
    expect(edits.all().map(({ path, name, head }) => [path, name, head])).toEqual([
      ['/0/old', 'old', 'a'],
      ['/0/new', 'new', 'b'],
      ['/1/old', 'old', 'c'],
    ]);
  });

  it('holds little of an input with very many texts', () => {
    const document = `{"list":[${Array.from({ length: 5000 }, (_, i) => `"t${i}"`).join(',')}]}`;
    const writing = written(document, 50);
    expect(writing.all().length).toBeLessThanOrEqual(64);
    expect(writing.current?.head).toBe('t4999');
  });

  it('keeps what it has of a broken input', () => {
    const writing = written('{"content":"good\nbad');
    expect(writing.current?.head).toBe('good');
  });
});

const at = { messageId: 'm', segment: 0, item: 0 };
let seq = 0;
const event = (body: object) => ({ epoch: 1, seq: ++seq, at: 1, ...body }) as Event;
const begin = () =>
  applyEvents(emptyConversation, [
    event({ type: 'message_start', messageId: 'm', role: 'agent', author: { kind: 'agent' } }),
    event({
      type: 'tool_call_start',
      ...at,
      toolCallId: 't',
      toolName: 'write',
      title: 'Write',
      kind: 'edit',
      status: 'pending',
    }),
  ]);
const callOf = (conversation: typeof emptyConversation) => {
  const segment = conversation.messages[0]?.segments[0];
  return (segment?.type === 'tool-group' ? segment.items[0] : undefined) as ToolCall;
};

describe('the fold of input deltas', () => {
  it('reads what is written until the whole has come', () => {
    let conversation = begin();
    for (const delta of ['{"path":"a.ts","con', 'tent":"one\\ntw', 'o'])
      conversation = applyEvents(conversation, [
        event({ type: 'tool_input_delta', ...at, toolCallId: 't', delta }),
      ]);
    expect(
      callOf(conversation)
        .writing?.current?.last(12)
        .map(({ text }) => text),
    ).toEqual(['one', 'two']);
    conversation = applyEvents(conversation, [
      event({
        type: 'tool_call_update',
        ...at,
        toolCallId: 't',
        input: { path: 'a.ts', content: 'one\ntwo' },
      }),
    ]);
    expect(callOf(conversation).writing).toBeUndefined();
    expect(callOf(conversation).inputText).toBeUndefined();
  });

  it('reads and holds no more of a long input for a delta late in it', () => {
    const piece = 'const a = \\"a line of a file\\";\\n';
    const delta = (text: string) => event({ type: 'tool_input_delta', ...at, toolCallId: 't', delta: text });
    const options = { streamed: 64 << 10 };
    const begun = `{"path":"a.ts","content":"${piece.repeat(Math.ceil((1 << 20) / piece.length))}`;
    let now = applyEvents(begin(), [delta(begun)], options);
    const read = vi.spyOn(PartialJson.prototype, 'write');
    for (let i = 0; i < 2000; i++) {
      now = applyEvents(now, [delta(piece)], options);
      const call = callOf(now);
      const text = call.writing?.current;
      if (text === null || text === undefined) throw new Error('nothing is written');
      expect(text.head.length + text.tail.length).toBeLessThan(20_000);
      expect(call.inputText?.length ?? 0).toBeLessThan(128 << 10);
    }
    expect(read.mock.calls.map(([fragment]) => fragment.length)).toEqual(Array(2000).fill(piece.length));
    read.mockRestore();
  });
});
