// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { asJson, asText } from './asText';
import { inputs } from './displays.fixture';
import { resultOf } from './result';

it('every display can be had as text', () => {
  const text = (name: string, answer?: never) => asText(name, 'Scales', inputs[name] ?? {}, answer, null);
  expect(text('showApprovalForm', { approved: true, comment: 'ok' } as never)).toBe(
    'Approve the budget\nFor the autumn.\nSum: 4 200 €\nUntil: November\nApproved\nok',
  );
  expect(text('showChoice', { choice: 'p' } as never)).toBe(
    'Which fruit?\n[ ] Apple (Sour)\n[x] Pear\n[ ] Quince',
  );
  expect(text('showForm')).toBe('Delivery\nWhere to?\nStreet: Elm Lane 4\nFloor: 2\nHow: van\nA gift: true');
  expect(text('showCard', { action: 'buy' } as never)).toBe(
    'Ladder\nAsh, 3 m\n89 €\nNew, In stock\nStands on slopes.\nWeight: 7\n→ Buy',
  );
  expect(text('showDiff')).toBe('src/tree.ts\n@@\n one\n-two\n+three');
  expect(text('showImage')).toBe('A tree\nBehind the house');
  expect(text('showMarkdown')).toBe('# Harvest\n\n* apples\n* pears');
  expect(text('showProgress')).toBe('Picking\n40%\nLadder: done\nPick: running\nCarry: pending');
  expect(text('weighHarvest')).toMatch(/^Scales\ntitle: Scales\ncrates: 12\nheavy: true\neach: \[/);
  expect(JSON.parse(asJson({ a: 1 }, { b: 2 }, null))).toEqual({ input: { a: 1 }, answer: { b: 2 } });
});

it('what a tool has found is in the text, too', () => {
  const result = resultOf({ content: [{ type: 'text', text: 'Found 3' }], structuredContent: { total: 3 } });
  expect(asText('find', 'Laptops', { q: 'x' }, undefined, result)).toBe(
    'Laptops\nq: x\nFound 3\n{\n  "total": 3\n}',
  );
  expect(JSON.parse(asJson({ q: 'x' }, undefined, result))).toEqual({
    input: { q: 'x' },
    result: { total: 3 },
  });
});
