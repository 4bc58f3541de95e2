import { fireEvent, render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Store } from '../../state/store';
import { WeftContext } from '../../state/weft';
import { agent, call, done, sequence } from '../../transcript/events.fixture';
import { applyEvents } from '../../transcript/fold';
import { emptyConversation, type ToolCall } from '../../transcript/model';
import { noSpot } from '../find/spot';
import { Disclosures } from '../transcript/disclosure';
import { ReadingContext } from '../transcript/reading';
import { ToolRow } from './ToolRow';

const folder = '/home/robin/orchard';

/** An open row of a call with this input. */
function opened(start: object, end: { summary?: string; error?: string; events?: object[] }, open = true) {
  const { status: _completed, ...ended } = done(0, 0);
  const over =
    end.error === undefined
      ? done(0, 0, end.summary ?? '')
      : ({
          ...ended,
          type: 'tool_call_error',
          error: end.error,
          retryable: false,
          wasRetried: false,
        } as const);
  const events = sequence(
    agent,
    { ...call(0, 0), ...start } as ReturnType<typeof call>,
    ...((end.events ?? [over]) as ReturnType<typeof done>[]),
  );
  const segment = applyEvents(emptyConversation, events).messages[0]?.segments[0];
  const item = (segment?.type === 'tool-group' ? segment.items[0] : undefined) as ToolCall;
  const spaces = [{ id: 's', folder }];
  const server = new Store({ spaces, changes: {}, about: { home: '/home/robin' } });
  const disclosures = new Disclosures();
  const session = { spaceId: 's', store: new Store({ space: { folder }, conversation: { messages: [] } }) };
  const reading = {
    session,
    disclosures,
    thoughts: 'in-place',
    forks: new Map(),
    voices: null,
    spot: noSpot,
    hold: () => {},
  };
  render(
    <WeftContext value={{ server } as never}>
      <ReadingContext value={reading as never}>
        <ToolRow id="t" call={item} messageId="m1" segment={0} item={0} />
      </ReadingContext>
    </WeftContext>,
  );
  if (open) fireEvent.click(screen.getAllByRole('button')[0] as HTMLElement);
  return document.body;
}

const times = (text: string, of: HTMLElement) => (of.textContent ?? '').split(text).length - 1;
const file = {
  locations: [{ path: `${folder}/src/x.ts`, line: 1 }],
  input: { file_path: `${folder}/src/x.ts` },
};
const text = (text: string) => [{ type: 'text', text }];

it('says of a file that was read its name and its lines, once, and shows what it holds', () => {
  const content = text('```\n1\texport const a = 1;\n2\t// ```\n```');
  const page = opened(
    { title: 'Read src/x.ts', kind: 'read', ...file, content },
    { summary: 'Read 2 lines' },
  );
  expect(times('src/x.ts', page)).toBe(1);
  expect(page.querySelector('.tool-line')?.textContent).toMatch(/^\D*Read src\/x\.ts2 lines/);
  expect(page.querySelector('.read-lines')?.textContent).toBe('export const a = 1;\n// ```\n');
  expect([...page.querySelectorAll('[data-number]')].map((one) => one.getAttribute('data-number'))).toEqual([
    '1',
    '2',
  ]);
  expect(screen.queryByText('Input')).toBeNull();
  expect(screen.queryByText('Files')).toBeNull();
  expect(screen.queryByText('As the agent sent it')).toBeNull();
});

it.each([
  ['src/x.ts', 'read', 'Read 11 lines', 'Read src/x.ts', '11 lines'],
  [`${folder}/src/x.ts`, 'read', 'Read x.ts', 'Read src/x.ts', ''],
  ['src/x.ts', 'edit', '+2 −1 in x.ts', 'Edit src/x.ts', '+2 −1'],
  ['src/x.ts', 'delete', 'Deleted x.ts', 'Delete src/x.ts', ''],
  ['Look at x.ts', 'read', 'Read 1,204 lines', 'Look at x.ts', '1,204 lines'],
  ['Reading files', 'read', 'Read 3 lines', 'Reading files', 'Read 3 lines'],
])('a call that is called %s (%s, “%s”) is “%s”, “%s”', (title, kind, summary, name, note) => {
  const page = opened({ title, kind, ...file }, { summary }, false);
  expect(page.querySelector('.tool-title')?.textContent).toBe(name);
  expect(page.querySelector('.tool-note')?.textContent ?? '').toBe(note);
});

it('says an error once, with its lines and without its tags', () => {
  const error = 'String to replace not found in file. String: xyz';
  const content = text(
    '```\n<tool_use_error>String to replace not found in file.\nString: xyz</tool_use_error>\n```',
  );
  const page = opened({ title: 'Edit src/x.ts', kind: 'edit', ...file, content }, { error });
  expect(times('not found in file', page)).toBe(1);
  expect(times('tool_use_error', page)).toBe(0);
  expect(page.querySelector('.detail-error')?.textContent).toBe(
    'String to replace not found in file.\nString: xyz',
  );
});

it('says an error of a closed row there', () => {
  const page = opened({ title: 'Read src/x.ts', kind: 'read', ...file }, { error: 'No such file' }, false);
  expect(page.querySelector('.tool-note')?.textContent).toBe('No such file');
});

it('says of a command that failed what it has printed once', () => {
  const input = { command: 'make' };
  const content = text('```\nExit code 3\nto-stdout\nto-stderr\n```');
  const error = 'Exit code 3: to-stdout to-stderr';
  const page = opened({ title: 'make', kind: 'execute', input, content }, { error });
  expect(page.querySelector('.tool-note')?.textContent).toBe('Exit code 3: to-stdout to-stderr');
  expect(page.querySelector('.detail')?.textContent).toBe('Outputto-stdout\nto-stderr');
});

it('shows the arguments that the title does not say', () => {
  const input = { file_path: `${folder}/src/x.ts`, offset: 40, path: folder };
  const page = opened({ title: 'Read src/x.ts', kind: 'read', ...file, input }, { summary: 'Read 2 lines' });
  expect(page.querySelector('.fields')?.textContent).toBe('offset40');
});

const refusing = [
  {
    type: 'permission_request',
    messageId: 'm1',
    segment: 0,
    item: 0,
    toolCallId: 'c0.0',
    requestId: 'p',
    options: [],
  },
  {
    ...{
      type: 'permission_resolved',
      messageId: 'm1',
      segment: 0,
      item: 0,
      toolCallId: 'c0.0',
      requestId: 'p',
    },
    ...{ outcome: 'selected', optionId: 'no', status: 'rejected' },
  },
];

it.each(['edit', 'delete', 'move'])(
  'a rejected call (%s) says that it was rejected, and none of its input',
  (kind) => {
    const input = { path: 'a.js', content: 'apples' };
    const page = opened({ title: 'Write it', kind, input }, { events: refusing });
    expect(page.querySelector('.detail')?.textContent).toBe('You rejected this');
  },
);

it('a rejected edit shows the change that was refused', () => {
  const content = [{ type: 'diff', path: 'a.js', oldText: 'pears\n', newText: 'apples\n' }];
  const page = opened(
    { title: 'Write it', kind: 'edit', input: { old: 'x' }, content },
    { events: refusing },
  );
  expect(page.querySelector('.detail')?.textContent).toContain('pears');
  expect(page.querySelector('.detail')?.textContent).not.toContain('You rejected this');
  expect(screen.queryByText('Input')).toBeNull();
});
