import { expect, it } from 'vitest';
import type { ToolCall } from '../../transcript/model';
import { headlineOf } from './headline';

const call = { title: 'Do it', toolName: '' } as ToolCall;
const ofLines = (...lines: string[]) =>
  headlineOf({ reading: { commands: lines.map((line) => ({ line })) }, diffs: [] }, call);

it.each([
  ['make', ['make\n']],
  ['make …', ['make\nrm -rf /']],
  ['make …', ['make', 'rm -rf /']],
  // Codes make a line longer than the whole text was.
  ['make\\u{202e}\\u{200b} all', ['make\u202e\u200b all']],
  ['make\\u{202e}\\u{200b} all …', ['make\u202e\u200b all\nrm -rf /']],
  [`${'\\u{202e}'.repeat(20)} …`, ['\u202e'.repeat(21)]],
])('%s: says that there is more where there is', (headline, lines) => {
  expect(ofLines(...lines)).toBe(headline);
});

it('marks a path and a title that are cut', () => {
  const long = 'a'.repeat(200);
  const short = 'a'.repeat(160);
  const file = { reading: { files: [{ path: long, write: true }] }, diffs: [] };
  expect(headlineOf(file, call)).toBe(`Change ${short} …`);
  expect(headlineOf({ reading: {}, diffs: [] }, { ...call, title: long })).toBe(`${short} …`);
  expect(headlineOf({ reading: {}, diffs: [] }, call)).toBe('Do it');
});
