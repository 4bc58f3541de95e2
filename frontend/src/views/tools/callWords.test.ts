import { afterEach, beforeEach, expect, it, test } from 'vitest';
import calls from '../../i18n/backend/calls.json';
import de from '../../i18n/backend/de.json';
import templates from '../../i18n/backend/templates.json';
import { setTemplates } from '../../i18n/said';
import type { ToolCall } from '../../transcript/model';
import { askedTitle, errorShown, summaryShown, titleIncludesSummary, titleShown } from './callWords';

beforeEach(() => setTemplates(de, calls));
afterEach(() => setTemplates());

test('the sentences of calls are sentences of the backend', () => {
  expect(calls.filter((template) => !templates.includes(template))).toEqual([]);
});

it.each([
  ['read', 'Read 1,204 lines', '1,204 Zeilen gelesen'],
  ['read', 'Read main.ts', 'main.ts gelesen'],
  ['edit', '+2 −1 in main.ts', '+2 −1 · main.ts'],
  ['edit', '+2 −1 in 3 files', '+2 −1 · 3 Dateien'],
  ['move', 'Moved a.ts to b.ts', 'a.ts nach b.ts verschoben'],
  ['search', 'Found 3 matches in 2 files', '3 Treffer in 2 Dateien gefunden'],
  ['execute', 'exit code 0, no output', 'Exit-Code 0, keine Ausgabe'],
  ['execute', 'exit code 3, 12 lines of output', 'Exit-Code 3, 12 Zeilen Ausgabe'],
  ['fetch', 'A page · 3 lines in all', 'A page · insgesamt 3 Zeilen'],
  ['execute', 'exit code 0: total 36 · 10 lines in all', 'Exit-Code 0: total 36 · insgesamt 10 Zeilen'],
  ['execute', 'exit code 0: Fetched origin from github', 'Exit-Code 0: Fetched origin from github'],
  ['edit', 'Created a b.md, 17 lines', 'a b.md angelegt, 17 Zeilen'],
  ['fetch', 'Fetched 2.1 KB from example.com', '2.1 KB von example.com abgerufen'],
  ['execute', 'Ended by SIGKILL', 'Beendet durch SIGKILL'],
])('%s: %s', (kind, summary, want) => {
  expect(summaryShown({ kind, summary })).toBe(want);
});

it.each([
  ['other', 'Deleted main.ts'],
  ['delete', 'Deleted 3 old rows'],
  ['read', 'Read all the lines'],
  ['other', 'many lines'],
  ['other', '3 lines, as it seems'],
  ['other', 'None'],
  ['other', 'Model'],
  ['other', 'The disk is full.'],
  ['other', '12 tracks'],
  ['other', 'Ended by a vote'],
])('what a tool says itself stays as it is: %s, %s', (kind, summary) => {
  expect(summaryShown({ kind, summary })).toBe(summary);
});

test('what a command has written stays as it is in its error', () => {
  expect(errorShown({ error: 'Exit code 2: 3 lines of output' })).toBe('Exit-Code 2: 3 lines of output');
  expect(errorShown({ error: "The user's rules reject this, so it wasn't done." })).toBe(
    de["The user's rules reject this, so it wasn't done."],
  );
  expect(errorShown({ error: 'Not finished: Stopped before the agent was ready.' })).toContain(
    'Nicht fertig: ',
  );
});

test("a title is Weft's where the tool is", () => {
  expect(titleShown('Write to “Plans”', 'sendSpaceMessage')).toBe('In “Plans” schreiben');
  expect(titleShown('Write to “Plans”', 'Write')).toBe('Write to “Plans”');
});

test.each([
  ['read', 'read', 'Read', true],
  ['read', 'Read main.ts', 'Read', true],
  ['read', 'Read main.ts', 'Read 3 lines', false],
  ['read', 'README.md', 'Read', false],
  ['read', 'Read', '', false],
  ['execute', 'Version', 'version', false],
])('%s: %s says %s already: %s', (kind, title, summary, already) => {
  expect(titleIncludesSummary(title, { kind, summary })).toBe(already);
});

const orchard = '/home/robin/orchard';
it.each([
  ['edit', [{ path: `${orchard}/src/apples.js`, write: true }], {}, 'Edit src/apples.js'],
  // A file that doesn't exist yet isn't edited.
  [
    'edit',
    [{ path: 'a.js', write: true }],
    { content: [{ type: 'diff', path: 'a.js', newFile: true }] },
    'Write a.js',
  ],
  ['read', [{ path: '/etc/hosts', outside: true }], {}, 'Read /etc/hosts'],
  ['delete', [{ path: 'a b.md', write: true }], {}, 'Delete a b.md'],
  // Weft's analysis counts, not the agent's name for it.
  ['read', [{ path: 'a.js', write: true }], {}, 'Edit a.js'],
  ['read', [{ path: 'a.js' }], { locations: [{ path: 'b.js' }] }, 'Read a.js'],
  ['edit', [], { locations: [{ path: `${orchard}/b.js` }] }, 'Edit b.js'],
  ['read', [{ path: 'm\u0430in.ts' }], {}, 'Read m\\u{430}in.ts'],
  ['read', [{ path: '/etc/hosts' }, { path: '.git/config' }], {}, null],
  ['execute', [{ path: 'a.js', write: true }], {}, null],
  ['read', [], {}, null],
])('a call that waits (%s, %j, %j) is called “%s”', (kind, files, more, want) => {
  setTemplates();
  const call = { kind, title: '', input: undefined, ...more } as unknown as ToolCall;
  expect(askedTitle(call, { requestId: 'p', options: [], reading: { kind, files } }, orchard)).toBe(want);
});

it('a call that would run a command is none of a file', () => {
  const reading = { kind: 'read', files: [{ path: 'a.js' }], commands: [{ line: 'rm a.js' }] };
  expect(
    askedTitle({ kind: 'read' } as ToolCall, { requestId: 'p', options: [], reading }, orchard),
  ).toBeNull();
});
