import { describe, expect, it } from 'vitest';
import { type StreamEvent, StreamReader } from './sse';

const text =
  ': weft\n\nevent: gap\ndata: {}\n\nid: 1-2\ndata: {"a":"→\\n"}\n\n: still here\n\ndata: one\ndata: two\n\ndata: cut off\n';
const events: StreamEvent[] = [
  { name: 'gap', data: '{}' },
  { name: '', data: '{"a":"→\\n"}' },
  { name: '', data: 'one\ntwo' },
];

describe('the reader of event streams', () => {
  it('reads the same events wherever the text is cut', () => {
    for (let size = 1; size <= text.length; size++) {
      const reader = new StreamReader();
      const read: StreamEvent[] = [];
      for (let at = 0; at < text.length; at += size) read.push(...reader.read(text.slice(at, at + size)));
      expect(read, `in pieces of ${size}`).toEqual(events);
    }
  });
});
