/** The places of the window that draw a text of another program, each as what has to come for it. */
import type { Scene } from '../../src/gallery/backend';
import { space } from '../../src/gallery/data/spaces';
import { Talk } from '../../src/gallery/data/talk';
import { diff, files, searched } from '../../src/gallery/data/work';
import type { Weft } from '../../src/state/weft';
import type { Event, Json } from '../../src/transcript/types';
import { inputs } from '../../src/views/displays/inputs.fixture';

export const SPACE = 'hostile';

export interface Drawn {
  readonly scene: Scene;
  /** What comes, a frame after the other. */
  readonly steps: readonly (readonly Event[])[];
  /** Goes to where it is drawn; into the space, if left out. */
  readonly prepare?: (weft: Weft) => void;
  /** Goes there from the space. */
  readonly goes?: (weft: Weft) => void;
  /** What is clicked before the last of what comes, and after it, by selectors. */
  readonly clicksFirst?: readonly string[];
  readonly clicks?: readonly string[];
  /** The key of an action, and what is typed into which field. */
  readonly keys?: readonly [action: 'find', selector: string, text: string];
  /** Whether it is scrolled through at last. */
  readonly scroll?: boolean;
}

type Surface = (text: string, size: number) => Drawn;

const usual: Scene = { spaces: [space(SPACE, 'Hostile')] };

function pieces(text: string, size: number): string[] {
  const all: string[] = [];
  for (let at = 0; at < text.length; at += size) all.push(text.slice(at, at + size));
  return all;
}

/** The events of a talk, of which those with `#` as their text are made again for each piece. */
function streamed(talk: Talk, text: string, size: number, end?: (talk: Talk) => Talk): Event[][] {
  const before = talk.events.slice(0, -1);
  const last = talk.events.at(-1);
  if (last === undefined) return [];
  const steps: Event[][] = [before];
  let seq = before.length;
  for (const piece of pieces(text, size)) {
    const more = 'delta' in last ? { delta: piece } : { content: piece };
    seq += 1;
    steps.push([{ ...last, ...more, seq } as Event]);
  }
  const known = talk.events.length;
  const rest = (end?.(talk).events ?? []).slice(known);
  steps.push(rest.map((event) => ({ ...event, seq: ++seq })));
  return steps;
}

const talk = () => new Talk(SPACE).prompt('Do it.').agent();
const said = (made: Talk, ...clicks: string[]): Drawn => ({
  scene: usual,
  steps: made.events.map((event) => [event]),
  clicks,
});

/** The head of a call, which opens it; a call that is alone in its message has no group around it. */
const head = '.transcript .tool-line';
/** The blob that hostile.tsx answers with the text. */
const ref = (text: string) => ({ hash: 'hostile', size: new TextEncoder().encode(text).length });
/** Where in a text its pieces begin, each of so many characters at most. */
const parts = (text: string, count: number) => pieces(text, Math.max(1, Math.ceil(text.length / count)));

/** The display of a tool, with a text in each place that has words. */
function display(toolName: string, text: string): Drawn {
  const input = hostile(displays[toolName] ?? {}, text) as Json;
  return said(talk().call({ title: toolName, toolName, kind: 'display', status: 'waiting', input }));
}

const displays: Readonly<Record<string, Json>> = {
  ...inputs,
  showTable: {
    title: 'Words',
    columns: [
      { key: 'a', label: 'Words' },
      { key: 'b', label: 'Words' },
    ],
    rows: [
      { a: 'Words', b: 'Words' },
      { a: 'Words', b: 'Words' },
      { a: 'Words', b: 'Words' },
    ],
  },
  showChart: {
    ...{ title: 'Words', type: 'bar', labels: ['Words', 'Words'] },
    series: [
      { name: 'Words', data: [12, 9] },
      { name: 'Words', data: [5, 14] },
    ],
  },
};

/** What is no word, but read by a program. */
const read = new Set([
  'id',
  'key',
  'type',
  'style',
  'status',
  'src',
  'image',
  'language',
  'enum',
  'wait',
  'required',
]);

function hostile(value: unknown, text: string, key = ''): unknown {
  if (typeof value === 'string') return read.has(key) ? value : text;
  if (Array.isArray(value)) return read.has(key) ? value : value.map((one) => hostile(one, text));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hostile(one, text, name)]));
}

const finds = (text: string, query: string): Drawn => ({
  scene: {
    ...{ ...usual, talks: { [SPACE]: talk().say(text).end().events } },
    answers: {
      ['FindInSpace']: ({ from }: { from?: unknown }) => ({
        ...{ next: null, open: 0, last: 2 },
        hits: from
          ? []
          : [
              {
                messageId: '',
                ord: 1,
                segment: 0,
                item: -1,
                source: 'text',
                start: 0,
                end: 1,
                before: '',
                text: query,
                after: '',
              },
            ],
      }),
    },
  },
  steps: [],
  keys: ['find', '.find-field', query],
});

export const surfaces: Readonly<Record<string, Surface>> = {
  answer: (text, size) => ({ scene: usual, steps: streamed(talk().say('#'), text, size, (t) => t.end()) }),
  'answer, loaded': (text) => ({
    scene: { ...usual, talks: { [SPACE]: talk().say(text).end().events } },
    steps: [],
  }),
  'answers, loaded': (text) => ({
    scene: {
      ...usual,
      talks: {
        [SPACE]: parts(text, 40).reduce((made, part) => made.agent().say(part).end(), new Talk(SPACE)).events,
      },
    },
    steps: [],
  }),
  'answer, scrolled': (text) => ({
    scene: { ...usual, talks: { [SPACE]: talk().say(text).end().events } },
    steps: [],
    scroll: true,
  }),
  thought: (text, size) => {
    const made = talk().think('#');
    made.events.pop();
    return { scene: usual, steps: streamed(made, text, size), clicksFirst: ['.thought-line'] };
  },
  prompt: (text) => said(new Talk(SPACE).prompt(text).agent().say('Done.').end()),
  'prompt, opened': (text) => said(new Talk(SPACE).prompt(text).agent().say('Done.').end(), '.prompt-more'),
  'title of a call': (text) =>
    said(
      talk()
        .call({ title: text.slice(0, 700), kind: 'read' })
        .say('Done.')
        .end(),
    ),
  'titles of calls': (text) =>
    said(
      parts(text, 40)
        .reduce(
          (made, part) =>
            made.call({ title: part.slice(0, 700), kind: 'read', summary: part.slice(0, 500) }).say('Done.'),
          talk(),
        )
        .end(),
    ),
  'titles of spaces': (text) => ({
    scene: { spaces: [space(SPACE, text), ...parts(text, 40).map((part, i) => space(`s${i}`, part))] },
    steps: [],
  }),
  'output of a call': (text, size) => ({
    scene: usual,
    steps: streamed(
      talk().call({ title: 'Run it', kind: 'execute', status: 'running', prints: '#' }),
      text,
      size,
    ),
    clicksFirst: [head],
  }),
  'output in a blob': (text) =>
    said(
      talk()
        .call({ title: 'Run it', kind: 'execute', content: [{ type: 'text', ref: ref(text) }] })
        .end(),
      head,
    ),
  'text in a blob': (text) =>
    said(
      talk()
        .call({ title: 'Read it', kind: 'read', content: [{ type: 'text', ref: ref(text) }] })
        .end(),
      head,
    ),
  'colored output': (text) =>
    said(
      talk()
        .call({
          ...{ title: 'Run it', kind: 'execute' },
          content: [
            {
              type: 'text',
              text: pieces(text, 4)
                .map((part, i) => `\u001b[3${i % 8}m${part}`)
                .join(''),
            },
          ],
        })
        .end(),
      head,
    ),
  terminal: (text) =>
    said(
      talk().call({
        title: 'Run it',
        kind: 'execute',
        status: 'running',
        terminal: { command: 'run it', text },
      }),
      head,
    ),
  'input of a call': (text) =>
    said(
      talk()
        .call({ title: 'Call it', input: { words: text, more: [text.slice(0, 1000)] } })
        .end(),
      head,
    ),
  'command of a call': (text) =>
    said(
      talk()
        .call({ title: 'Run it', kind: 'execute', input: { command: text } })
        .end(),
      head,
    ),
  'writing of a file': (text, size) => {
    const made = talk().call({
      title: 'Write it',
      kind: 'edit',
      toolName: 'Write',
      status: 'pending',
      writes: '#',
    });
    const json = JSON.stringify({ file_path: '/home/ada/orchard/words.md', content: text });
    return { scene: usual, steps: streamed(made, json, size) };
  },
  'new file': (text) =>
    said(
      talk()
        .call({
          ...{ title: 'Write it', kind: 'edit' },
          content: [
            { type: 'diff', path: '/home/ada/orchard/words.md', newText: text, newFile: true, added: 3 },
          ],
        })
        .end(),
      head,
    ),
  'diff of a call': (text) =>
    said(
      talk()
        .call({
          ...{ title: 'Write it', kind: 'edit' },
          content: [
            {
              ...{ type: 'diff', path: '/home/ada/orchard/words.md', oldText: text, added: 3, removed: 4 },
              newText: `${text.slice(0, text.length / 2)}x${text.slice(text.length / 2 + 3)}`,
            },
          ],
        })
        .end(),
      head,
    ),
  'permission request': (text) =>
    said(
      talk().call({
        ...{ title: text.slice(0, 700), kind: 'execute', status: 'waiting', input: { command: text } },
        asks: { reading: { kind: 'execute', commands: [{ line: text, runs: ['npm'] }] } },
      }),
    ),
  'error of a turn': (text) =>
    said(
      talk().fail({
        code: 'agent',
        message: text.slice(0, 1000),
        detail: text.slice(0, 4000),
        retryable: false,
      } as never),
    ),
  plan: (text) =>
    said(
      talk()
        .say('Look.')
        .state(
          'plan',
          parts(text, 20).map((content) => ({ content, status: 'pending', priority: 'high' })),
        ),
    ),
  queue: (text) =>
    said(
      talk()
        .say('Look.')
        .state(
          'queue',
          parts(text, 10).map((one, i) => ({
            id: `q${i}`,
            text: one,
            at: 0,
            memberId: 'main',
            said: '',
            from: '',
          })),
        ),
    ),
  notice: (text) => said(talk().say(text, 'notice').end()),
  'unknown event': (text) => said(talk().unknown('odd', { words: text }).end()),
  'marks of a search, letters': (text) => finds(text, 'a'),
  'hits of a search': (text) => ({
    scene: {
      ...usual,
      answers: {
        Search: {
          ...searched,
          hits: searched.hits.map((hit) => ({
            ...hit,
            snippet: [
              { text: text.slice(0, 300) },
              { text: text.slice(0, 30), hit: true },
              { text: text.slice(0, 300) },
            ],
          })),
        },
        SearchPreview: {
          parts: [
            { field: 'text', pieces: pieces(text, 40).map((one, i) => ({ text: one, hit: i % 2 === 1 })) },
          ],
        },
      },
    },
    steps: [],
    prepare: (weft) => weft.showSearch('words'),
  }),
  'preview of a file': (text) => ({
    scene: {
      ...usual,
      answers: {
        ReadSpaceFile: {
          ...{ text, from: 1, lines: 7, total: 7, size: text.length, changedAt: 0 },
          ...{ binary: false, image: '', more: false },
        },
      },
    },
    steps: [[]],
    goes: (weft) => weft.showFile(SPACE, { path: '/home/ada/orchard/words.md', line: 2, column: 0 }),
  }),
  changes: (text) => ({
    scene: {
      ...{ ...usual, changes: { [SPACE]: 3 } },
      answers: {
        ReviewChanges: { files: [...files], coverage: '', watching: true, last: null },
        ReviewDiff: {
          ...diff,
          text,
          hunks: [
            {
              ...{ oldStart: 1, newStart: 1, newLines: 1, conflict: false, now: '', nowStart: 0 },
              old: `${text.slice(0, text.length / 2)}x${text.slice(text.length / 2 + 3)}`,
            },
          ],
        },
      },
    },
    steps: [[]],
    goes: (weft) => weft.shown.set({ panel: 'changes' }),
  }),
  'protocol log': (text) => ({
    scene: {
      ...usual,
      answers: {
        ProtocolLog: parts(text, 30).map((line, n) => ({
          n,
          dir: 'stderr',
          kind: 'stderr',
          line,
          at: 0,
          size: line.length,
        })),
      },
    },
    steps: [[]],
    goes: (weft) => weft.shown.set({ panel: 'log' }),
  }),
  outline: (text) => ({
    scene: {
      ...usual,
      answers: {
        ['Outline']: ({ from }: { from: number }) => ({
          ...{ next: 0, open: 0, last: 9 },
          entries:
            from === 0
              ? parts(text, 40).map((one, i) => ({
                  kind: 'prompt',
                  messageId: `m${i}`,
                  ord: i,
                  segment: -1,
                  item: -1,
                  text: one.slice(0, 300),
                  count: 1,
                  at: 0,
                }))
              : [],
        }),
      },
    },
    steps: [[]],
    goes: (weft) => weft.shown.set({ panel: 'outline' }),
  }),
  ...Object.fromEntries(
    Object.keys(displays).map((name) => [`display ${name}`, (text: string) => display(name, text)]),
  ),
};
