import { expect, it } from 'vitest';
import { hintsOf, sidesOf } from './options';

const of = (...kinds: string[]) =>
  sidesOf(kinds.map((kind, i) => ({ optionId: `o${i}`, name: `O${i}`, kind })));
const shape = ({ allow, reject, once }: ReturnType<typeof sidesOf>) => ({
  allow: allow.map(({ index }) => index),
  reject: reject.map(({ index }) => index),
  once: [once.allow?.index ?? null, once.reject?.index ?? null],
});

it('puts the usual options behind their buttons', () => {
  expect(shape(of('allow_once', 'allow_always', 'reject_once'))).toEqual({
    allow: [0, 1],
    reject: [2],
    once: [0, 2],
  });
});

it('chooses for nobody between several, and never what is meant for always', () => {
  expect(shape(of('allow_once', 'allow_once', 'reject_always'))).toEqual({
    allow: [0, 1],
    reject: [2],
    once: [null, null],
  });
  expect(shape(of('allow_always'))).toEqual({ allow: [0], reject: [], once: [null, null] });
});

it('takes what it does not know for something that allows', () => {
  expect(shape(of('switch_mode', '', 'Reject_once', 'reject_for_now'))).toEqual({
    allow: [0, 1, 2],
    reject: [3],
    once: [null, null],
  });
});

it('hides none of them, whatever their kinds are', () => {
  const kinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always', '', 'mode'];
  for (let n = 0; n < 6 ** 4; n++) {
    const some = [0, 1, 2, 3].map((i) => kinds[Math.floor(n / 6 ** i) % 6] ?? '');
    const { allow, reject } = shape(of(...some));
    expect([...allow, ...reject].sort()).toEqual([0, 1, 2, 3]);
  }
});

it('tells options of one name apart by how often they hold, or by their ids', () => {
  const hints = (...list: [string, string, string][]) => [
    ...hintsOf(list.map(([optionId, name, kind], index) => ({ index, option: { optionId, name, kind } }))),
  ];
  expect(
    hints(
      ['proceed_always_server', 'Allow always', 'allow_always'],
      ['proceedAlwaysTool', 'allow always ', 'allow_always'],
      ['o', 'Allow', 'allow_once'],
    ),
  ).toEqual([
    [0, { words: 'proceed always server' }],
    [1, { words: 'proceed Always Tool' }],
  ]);
  expect(hints(['a', 'Allow', 'allow_once'], ['b', 'Allow', 'allow_always'])).toEqual([
    [0, { kind: 'once' }],
    [1, { kind: 'always' }],
  ]);
  expect(hints(['a', 'Allow', 'allow_once'], ['b', 'Allow always', 'allow_always'])).toEqual([]);
});
