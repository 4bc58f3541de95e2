import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Random } from '../../markdown/testing/random';
import { CodeRow } from './CodeRow';
import type { Piece } from './highlighting';
import type { Sides } from './rows';

it('takes no emoji apart, wherever colors and marks begin in a line', () => {
  const parts = ['👨‍👩‍👧', '❤️‍🔥', '🏳️‍🌈', 'row', ' ', '🧑🏽‍🤝‍🧑🏻', '"'];
  for (let seed = 1; seed <= 200; seed++) {
    const random = new Random(seed);
    const line = (n: number) => Array.from({ length: n }, () => random.pick(parts)).join('');
    const [old, now] = [line(4), line(5)];
    const pieces: Piece[] = [];
    for (let at = 0; at < now.length; ) {
      const to = at + 1 + random.below(4);
      pieces.push([now.slice(at, to), random.pick(['', 'string']) || undefined] as Piece);
      at = to;
    }
    const sides = { old: [old], new: [now], hunks: [] } as unknown as Sides;
    const html = renderToStaticMarkup(
      <CodeRow
        row={{ kind: 'line', cell: { side: 'new', line: 0, type: 'added', twin: 0 } } as never}
        sides={sides}
        highlighted={{ old: [], new: [pieces] } as never}
        ends={false}
      />,
    );
    const text = /class="change-text">(.*?)<\/span><\/div>/.exec(html)?.[1]?.replace(/<[^>]*>/g, '');
    expect(text?.replaceAll('&quot;', '"'), String(seed)).toBe(now);
  }
});
