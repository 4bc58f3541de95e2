import { describe, expect, it } from 'vitest';
import { Random } from '../markdown/testing/random';
import { agent, call, done, sequence, text } from './events.fixture';
import { applyEvents } from './fold';
import { emptyConversation, type Message } from './model';
import { lastWords, latestOf, type Nest, nestFacts, nestingOf, withoutPlaced } from './nest';

type Bodies = Parameters<typeof sequence>;
const under = <T extends object>(parentToolCallId: string, body: T) => ({ ...body, parentToolCallId });

function message(...bodies: Bodies): Message {
  const made = applyEvents(emptyConversation, sequence(agent, ...bodies)).messages[0];
  if (made === undefined) throw new Error('no message');
  return made;
}

/** A nest as a bracketed tree. */
function told(nest: Nest | undefined): string {
  if (nest === undefined) return '';
  const pieces = nest.pieces.map((piece) => {
    if (piece.type === 'text') return `"${piece.texts.map(({ text: of }) => of.toString()).join('')}"`;
    if (piece.type === 'display') return 'display';
    const name = piece.item.type === 'thought' ? 'thought' : piece.item.toolCallId;
    return piece.nest === undefined ? name : `${name}${told(piece.nest)}`;
  });
  return `(${pieces.join(' ')})`;
}

function tree(of: Message): string {
  const nesting = nestingOf(of);
  if (nesting === null) return 'flat';
  const roots = of.segments.flatMap((segment) => {
    if (segment.type !== 'tool-group') return nesting.placed.has(segment) ? [] : [segment.type];
    const left = withoutPlaced(segment, nesting.placed);
    return (left?.items ?? []).map((item) =>
      item.type === 'thought' ? 'thought' : `${item.toolCallId}${told(nesting.under.get(item.toolCallId))}`,
    );
  });
  return [...roots, ...nesting.strays.map(({ nest }) => `?${nest.parent}${told(nest)}`)].join(' ');
}

describe('what stands under a call', () => {
  it('is nothing where nothing has a parent', () => {
    expect(nestingOf(message(text(0, 'a'), call(1, 0)))).toBeNull();
  });

  it('keeps the order of each of two sub-agents that talk at once', () => {
    const both = message(
      call(0, 0),
      call(0, 1),
      under('c0.0', text(1, 'a1 ')),
      under('c0.1', text(2, 'b1 ')),
      under('c0.0', text(3, 'a2')),
      under('c0.1', call(4, 0)),
      under('c0.0', call(4, 1)),
      under('c0.0', text(5, 'a3')),
      text(6, 'I'),
    );
    expect(tree(both)).toBe('c0.0("a1 a2" c4.1 "a3") c0.1("b1 " c4.0) text');
  });

  it('takes a sentence up again, and begins a new one by itself', () => {
    const m = message(
      call(0, 0),
      call(0, 1),
      under('c0.0', text(1, 'One. ')),
      under('c0.1', text(2, 'x')),
      under('c0.0', text(3, 'Two')),
      under('c0.1', text(4, 'y')),
      under('c0.0', text(5, ' words')),
    );
    expect(tree(m)).toBe('c0.0("One. " "Two words") c0.1("xy")');
  });

  it('goes over several levels', () => {
    const deep = message(call(0, 0), under('c0.0', call(0, 1)), under('c0.1', call(0, 2)), call(0, 3));
    expect(tree(deep)).toBe('c0.0(c0.1(c0.2)) c0.3');
  });

  it('stays flat under a call that there is not, and in a circle', () => {
    expect(tree(message(under('gone', call(0, 0)), under('gone', text(1, 'x'))))).toBe('c0.0 text');
    expect(tree(message(under('c0.0', call(0, 0))))).toBe('c0.0');
    const circle = message(under('c0.1', call(0, 0)), under('c0.0', call(0, 1)), under('c0.1', call(0, 2)));
    expect(tree(circle)).toBe('c0.0 c0.1(c0.2)');
  });

  it('finds a parent that comes later, or is told later', () => {
    expect(tree(message(under('c0.1', call(0, 0)), call(0, 1)))).toBe('c0.1(c0.0)');
    const told = {
      type: 'tool_call_update',
      messageId: 'm1',
      segment: 0,
      item: 1,
      toolCallId: 'c0.1',
    } as const;
    expect(tree(message(call(0, 0), call(0, 1), under('c0.0', told)))).toBe('c0.0(c0.1)');
  });

  it('draws at most eight levels', () => {
    const chain = message(
      call(0, 0),
      ...Array.from({ length: 5000 }, (_, i) => under(`c0.${i}`, call(0, i + 1))),
    );
    const nesting = nestingOf(chain);
    let nest = nesting?.under.get('c0.0');
    let levels = 0;
    while (nest !== undefined) {
      levels++;
      const piece = nest.pieces[0];
      nest = piece?.type === 'item' ? piece.nest : undefined;
    }
    expect(levels).toBe(8);
    expect(nestingOf(chain)?.placed.size).toBe(5000);
  });

  it('collects what belongs to a call that is not held any more', () => {
    const whole = message(call(0, 0), under('c0.0', call(1, 0)), under('c0.0', text(2, 'x')));
    const part: Message = { ...whole, segments: whole.segments.slice(1), firstSegment: 1 };
    expect(tree(part)).toBe('?c0.0(c1.0 "x")');
  });

  it('leaves thoughts out where they are hidden, and joins the words around them', () => {
    const m = message(
      call(0, 0),
      under('c0.0', text(1, 'a ')),
      under('c0.0', {
        type: 'reasoning_delta',
        messageId: 'm1',
        segment: 2,
        item: 0,
        content: 'hm',
      } as const),
      under('c0.0', text(3, 'b')),
    );
    expect(told(nestingOf(m)?.under.get('c0.0'))).toBe('("a " thought "b")');
    expect(told(nestingOf(m, false)?.under.get('c0.0'))).toBe('("a b")');
  });

  it('is the same object until something in it changes', () => {
    const first = message(call(0, 0), call(0, 1), under('c0.0', call(0, 2)), under('c0.1', call(0, 3)));
    const before = nestingOf(first);
    const at = { epoch: 1, seq: 9, at: 2000 };
    const next = applyEvents({ ...emptyConversation, messages: [first] }, [{ ...done(0, 3), ...at }])
      .messages[0];
    const after = nestingOf(next as Message, true, before);
    expect(after?.under.get('c0.0')).toBe(before?.under.get('c0.0'));
    expect(after?.under.get('c0.1')).not.toBe(before?.under.get('c0.1'));
  });
});

describe('the line of a nest', () => {
  it('counts calls, files and time over all levels', () => {
    const m = message(
      call(0, 0),
      under('c0.0', call(0, 1, { kind: 'edit' })),
      under('c0.1', call(0, 2, { kind: 'edit' })),
      under('c0.0', call(0, 3, { kind: 'edit' })),
      done(0, 1, '+1 −0 in a.go'),
      done(0, 2, '+2 −2 in a.go'),
      done(0, 3, '+2 −2 in b.go'),
    );
    const nest = nestingOf(m)?.under.get('c0.0') as Nest;
    expect(nestFacts(nest)).toMatchObject({ calls: 3, open: 0, files: 2, tookMs: 22 });
  });

  it('tells the innermost call that runs, else what was said last', () => {
    const m = message(call(0, 0), under('c0.0', call(0, 1)), under('c0.1', call(0, 2, { title: 'Inner' })));
    expect(latestOf(nestingOf(m)?.under.get('c0.0') as Nest)).toMatchObject({ title: 'Inner' });
    const said = message(call(0, 0), under('c0.0', text(1, 'One.\n\nTwo words\n\n')));
    const latest = latestOf(nestingOf(said)?.under.get('c0.0') as Nest);
    expect(lastWords(latest as never)).toBe('Two words');
  });
});

it('loses nothing and keeps every order, whatever belongs to what', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = new Random(seed);
    const bodies: Bodies = [];
    let segment = -1;
    let item = 0;
    let group = false;
    const ids: string[] = [];
    for (let i = 0; i < 40; i++) {
      const parent =
        random.below(3) === 0 ? '' : (ids[random.below(ids.length + 2)] ?? `later${random.below(3)}`);
      if (random.below(3) === 0) {
        bodies.push(under(parent, text(++segment, `t${i} `)));
        group = false;
      } else {
        if (!group) {
          segment++;
          item = 0;
        }
        group = true;
        const id = random.below(6) === 0 ? `later${random.below(3)}` : `c${i}`;
        if (ids.includes(id)) continue;
        ids.push(id);
        bodies.push(under(parent, { ...call(segment, item++), toolCallId: id }));
      }
    }
    const m = message(...bodies);
    const nesting = nestingOf(m);
    if (nesting === null) continue;
    const seen: unknown[] = [];
    const place = new Map<unknown, number>();
    let n = 0;
    for (const one of m.segments)
      for (const part of one.type === 'tool-group' ? one.items : [one]) place.set(part, n++);
    const visit = (nest: Nest) => {
      let last = -1;
      for (const piece of nest.pieces) {
        const parts =
          piece.type === 'text' ? piece.texts : [piece.type === 'item' ? piece.item : piece.display];
        for (const part of parts) {
          expect(place.get(part) ?? -1, `seed ${seed}`).toBeGreaterThan(last);
          last = place.get(part) ?? -1;
          seen.push(part);
        }
        if (piece.type === 'item' && piece.nest !== undefined) visit(piece.nest);
      }
    };
    for (const one of m.segments) {
      if (one.type !== 'tool-group') {
        if (!nesting.placed.has(one)) seen.push(one);
        continue;
      }
      for (const part of one.items) {
        if (nesting.placed.has(part)) continue;
        seen.push(part);
        const nest = part.type === 'tool_call' ? nesting.under.get(part.toolCallId) : undefined;
        if (nest !== undefined) visit(nest);
      }
    }
    for (const { nest } of nesting.strays) visit(nest);
    expect(seen.length, `seed ${seed}`).toBe(n);
    expect(new Set(seen).size, `seed ${seed}`).toBe(n);
  }
});
