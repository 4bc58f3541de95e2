import { describe, expect, it } from 'vitest';
import { Drawing } from './drawing';

const document = {
  title: 'Say "yes" \u{1f33f}\n',
  n: -1.5e3,
  on: true,
  off: false,
  nothing: null,
  deep: { a: [[1, 2], [{ b: { c: { d: { e: 'very deep' } } } }]] },
  rows: [{ id: 1 }, { id: 2, text: 'x' }],
  empty: {},
  none: [],
};

describe('an input that is drawn while it is written', () => {
  it('is the whole of it in the end, however it is cut', () => {
    const text = JSON.stringify(document);
    for (const size of [1, 2, 3, 7, 50, text.length]) {
      const drawing = new Drawing();
      for (let at = 0; at < text.length; at += size) {
        drawing.append(text.slice(at, at + size));
        drawing.snapshot();
      }
      expect(drawing.snapshot()).toEqual(document);
    }
  });

  it('never changes what it has handed out, and shares what has not changed', () => {
    const text = JSON.stringify(document);
    const drawing = new Drawing();
    const seen: { value: unknown; as: string }[] = [];
    for (const c of text) {
      drawing.append(c);
      const value = drawing.snapshot();
      if (value !== seen.at(-1)?.value) seen.push({ value, as: JSON.stringify(value) });
    }
    for (const { value, as } of seen) expect(JSON.stringify(value)).toBe(as);
    const [one, two] = seen.slice(-2).map(({ value }) => value as typeof document);
    expect(one).not.toBe(two);
    expect(one?.deep).toBe(two?.deep);
  });

  it('takes a name that means something else to the language as a name', () => {
    const drawing = new Drawing('{"__proto__":{"polluted":"yes"},"constructor":1,"a":"b');
    const value = drawing.snapshot() as Record<string, unknown>;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value['polluted']).toBeUndefined();
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'a']);
  });

  it('stops where it is broken, and where it is too much', () => {
    const broken = new Drawing('{"a": 1, "b": tru!');
    expect(broken.snapshot()).toEqual({ a: 1 });
    const big = new Drawing('{"a":"');
    for (let i = 0; i < 40; i++) big.append('x'.repeat(1 << 15));
    expect(big.full).toBe(true);
    expect(JSON.stringify(big.snapshot()).length).toBeLessThanOrEqual((1 << 20) + 10);
    const deep = new Drawing('['.repeat(20_000));
    expect(deep.snapshot()).toBeDefined();
  });

  it('keeps the rows that are complete, whatever comes after them', () => {
    const drawing = new Drawing('{"rows":[');
    const rows = () => (drawing.snapshot() as { rows: object[] }).rows;
    drawing.append('{"id":0,"name":"row"},{"id":1,"na');
    const [first, second] = rows();
    drawing.append('me":"row"}');
    const [sameFirst, changed] = rows();
    expect(sameFirst).toBe(first);
    expect(changed).not.toBe(second);
    for (let i = 2; i < 2000; i++) {
      drawing.append(`,{"id":${i}}`);
      if (rows()[1] !== changed || rows().length !== i + 1) throw new Error(`row ${i}`);
    }
  });
});
