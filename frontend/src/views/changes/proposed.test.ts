import { expect, it } from 'vitest';
import { proposedMessage } from './proposed';

it.each([
  ['add a dark theme', 'Add a dark theme'],
  ['Please fix the parser. It fails on empty input.', 'Fix the parser'],
  ['can you rename `Foo` to **Bar**?', 'Rename Foo to Bar'],
  ['\n\n## Task\nWrite it', 'Task'],
  ['1.2.3 is broken in v2.0 of lib.go', '1.2.3 is broken in v2.0 of lib.go'],
  ['Änderung am Übersetzer, bitte', 'Änderung am Übersetzer, bitte'],
  ['修正登录问题', '修正登录问题'],
  ['...', ''],
  ['', ''],
])('proposes a subject for %j', (prompt, subject) => {
  expect(proposedMessage(prompt)).toBe(subject);
});

it('cuts a long first sentence at a word', () => {
  const subject = proposedMessage(`do ${'something '.repeat(30)}`);
  expect(subject.length).toBeLessThanOrEqual(72);
  expect(subject).toMatch(/^Do something .* something$/);
  expect(proposedMessage('x'.repeat(500))).toHaveLength(72);
});
