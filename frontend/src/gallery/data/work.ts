import type {
  Answer,
  ChangeDiff,
  ChangedFile,
  CommitFile,
  ConversationsReport,
  FoundConversations,
  ImportJob,
  Install,
  ListedRule,
  McpServer,
  ModelProvider,
  OutlineEntry,
  ProtocolEntry,
  RegistryAgent,
  TreeSpace,
  Worktree,
} from '../../transport/api';
import type { NoticePart, Notices } from '../../transport/notices';
import { day, hour, minute, now, second } from '../clock';
import { folder, home, member, space, states } from './spaces';
import { Talk } from './talk';
import { prose } from './texts';

/** A conversation with a pending request. */
export const apples = new Talk('waits', now - 14 * minute)
  .prompt('Why does an empty basket count as one, and can you fix it?')
  .agent()
  .think('The count comes from the length of the list. Empty baskets are null there.')
  .say('I’ll look at **how apples are counted** first.')
  .call({ title: 'Read src/main.js', kind: 'read', summary: '48 lines', took: 40 })
  .call({ title: 'Read src/apples.js', kind: 'read', summary: '12 lines', took: 40 })
  .call({ title: 'Read test/none.test.js', kind: 'read', status: 'failed', error: 'There is no such file.' })
  .say('The place of an empty basket is counted. I’ll leave those out.')
  .call({
    ...{ title: 'Run the tests', kind: 'execute', status: 'waiting' },
    asks: {
      id: 'w1',
      reading: { kind: 'execute', commands: [{ line: 'npm test -- --watch=false', runs: ['npm'] }] },
    },
  });

/** A finished conversation. */
export const weighed = new Talk('unseen', now - 50 * minute)
  .prompt('Weigh the harvest.')
  .agent()
  .say(prose)
  .end();

const file = (id: number, path: string, change: Partial<ChangedFile> = {}): ChangedFile => ({
  ...{ id, path, what: 'edited', from: '', also: 0, version: 'v1', added: 1, removed: 2, shown: true },
  ...{ size: 900, reason: '', changed: false, stuck: '', oldMode: '', newMode: '', ...change },
});

export const files: readonly ChangedFile[] = [
  file(1, 'src/apples.js'),
  file(2, 'notes/why.md', { what: 'added', added: 3, removed: 0 }),
  file(3, 'old.txt', { what: 'deleted', added: 0, removed: 12 }),
  file(4, 'src/crates.js', { what: 'renamed', from: 'src/boxes.js', added: 0, removed: 0 }),
  file(5, 'clean.sh', { what: 'mode', oldMode: '644', newMode: '755', added: 0, removed: 0 }),
  file(6, 'baskets.png', { reason: 'binary', shown: false, size: 48_213, added: 0, removed: 0 }),
];

const text = `export function count(baskets) {
  return baskets.filter((basket) => basket !== null).length;
}

export function weigh(baskets) {
  return baskets.map((basket) => basket.kg);
}
`;

export const diff: ChangeDiff = {
  ...file(1, 'src/apples.js'),
  text,
  hunks: [
    {
      ...{ oldStart: 2, newStart: 2, newLines: 1, conflict: false, now: '', nowStart: 0 },
      old: '  // FIXME: an empty basket counts as one\n  return baskets.length;\n',
    },
  ],
  odd: false,
};

export const tree: readonly TreeSpace[] = [
  { space: states[0] ?? space('waits', ''), parent: '', words: '', messages: 4 },
  {
    space: space('b1', 'Count from the other end', { treeId: 'waits', parentId: 'waits' }),
    ...{ parent: 'waits', words: 'Count from the other end', messages: 2 },
  },
  {
    space: space('b2', 'Count twice', { treeId: 'waits', parentId: 'b1', archived: true }),
    ...{ parent: 'b1', words: 'Count twice, please', messages: 0 },
  },
];

const entry = (n: number, dir: ProtocolEntry['dir'], kind: string, line: string): ProtocolEntry => ({
  ...{ n, dir, kind, line, at: now - (9 - n) * second, size: line.length },
});

export const log: readonly ProtocolEntry[] = [
  entry(
    1,
    'client->agent',
    'initialize',
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}',
  ),
  entry(2, 'agent->client', 'initialize', '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'),
  entry(
    3,
    'client->agent',
    'session/prompt',
    '{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s1"}}',
  ),
  entry(4, 'stderr', 'stderr', 'warning: the scales are wet'),
  entry(
    5,
    'agent->client',
    'session/update',
    '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1"}}',
  ),
];

const rule = (id: string, change: Partial<ListedRule>): ListedRule => ({
  ...{
    id,
    effect: 'allow',
    scope: 'everywhere',
    spaceId: '',
    folder: '',
    agentId: '',
    kind: '',
    command: '',
  },
  ...{ path: '', tool: '', enabled: true, createdAt: now - day, used: 12, lastUsed: now - hour },
  ...{ space: '', agentName: '', ...change },
});

export const rules: readonly ListedRule[] = [
  rule('r1', { kind: 'execute', command: 'npm test', scope: 'folder', folder }),
  rule('r2', { effect: 'reject', kind: 'edit', path: '.env', used: 0, lastUsed: 0 }),
  rule('r3', { kind: 'read', enabled: false, scope: 'space', spaceId: 'waits', space: 'Count the apples' }),
];

const server = (name: string, change: Partial<McpServer>): McpServer => ({
  ...{ name, type: 'stdio', command: 'scales-mcp', args: ['--port', '0'], env: {}, url: '', headers: {} },
  ...{ secretEnv: {}, secretHeaders: {}, disabled: false, via: 'direct', tools: {}, troubles: [], ...change },
});

export const servers: readonly McpServer[] = [
  server('scales', { secretEnv: { SCALES_KEY: 'secret:1' } }),
  server('market', {
    type: 'http',
    url: 'https://market.example/mcp',
    command: '',
    args: [],
    via: 'gateway',
  }),
  server('weather', { disabled: true, troubles: ['The tool "wind" has a name that is too long.'] }),
];

const registered = (id: string, name: string, change: Partial<RegistryAgent>): RegistryAgent => ({
  ...{
    id,
    name,
    version: '2.4.0',
    description: 'Edits code in a project.',
    license: 'Apache-2.0',
    licenseUrl: '',
  },
  ...{ repository: `https://code.example/${id}`, website: `https://${id}.example`, authors: ['Ada'] },
  ...{ targets: [], problems: [], revision: 'r1', platforms: ['linux-x86_64'], installed: null, gone: false },
  ways: [
    {
      ...{
        kind: 'npx',
        origin: `npm:${id}-agent@2.4.0`,
        sha256: '',
        install: ['npm', 'install', `${id}-agent@2.4.0`],
      },
      ...{ program: 'node', args: [`${id}-agent`, 'acp'], env: {}, missing: '' },
    },
  ],
  ...change,
});

export const registry: readonly RegistryAgent[] = [
  registered('robin', 'Robin', {
    installed: {
      ...{
        version: '2.3.1',
        update: true,
        kind: 'npx',
        origin: 'npm:robin-agent@2.3.1',
        sha256: '',
        vouched: true,
      },
      ...{ bytes: 48_213_000, folder: `${home}/.local/share/weft/agents/robin`, installedAt: now - 9 * day },
      ...{ warning: '', agents: [{ id: 'robin', name: 'Robin', command: 'robin' }], broken: false },
    },
  }),
  registered('wren', 'Wren', {}),
  registered('finch', 'Finch', {}),
  registered('heron', 'Heron', {
    platforms: ['darwin-aarch64'],
    ways: [],
    description: 'Reads long documents.',
  }),
];

const install = (id: string, name: string, change: Partial<Install>): Install => ({
  ...{ id, name, version: '2.4.0', update: false, state: 'running', step: 'download', done: 0, total: 0 },
  ...{
    line: '',
    startedAt: now - 9 * second,
    sha256: '',
    vouched: true,
    agentId: '',
    failure: null,
    question: null,
  },
  ...change,
});

export const installs: readonly Install[] = [
  install('wren', 'Wren', { done: 12_000_000, total: 48_000_000 }),
  install('finch', 'Finch', {
    state: 'failed',
    failure: { code: 'failed', message: 'Couldn’t download Finch: the connection was lost.' },
  }),
];

const provider = (id: string, name: string, change: Partial<ModelProvider>): ModelProvider => ({
  ...{ id, name, baseUrl: `https://api.${id}.example`, keyEnv: `${id.toUpperCase()}_KEY`, keyPage: '' },
  ...{ model: '', local: false, needsKey: true, apis: [], envKey: false, ...change },
});

export const providers: readonly ModelProvider[] = [
  provider('anthropic', 'Anthropic', { model: 'finch-large' }),
  provider('openai', 'OpenAI', { envKey: true }),
  provider('ollama', 'Ollama', { local: true, needsKey: false }),
];

export const worktrees: readonly Worktree[] = [
  {
    ...{ id: 'tree-1', path: `${home}/orchard-worktrees/weigh`, repository: folder, branch: 'weigh-crates' },
    ...{ baseBranch: 'main', createdAt: now - 2 * day, spaceId: 'unseen', spaceTitle: 'Weigh the harvest' },
    ...{ spaceGone: false, spaceArchived: false, missing: false },
  },
  {
    ...{ id: 'tree-2', path: `${home}/orchard-worktrees/old`, repository: folder, branch: 'old-signs' },
    ...{ baseBranch: 'main', createdAt: now - 30 * day, spaceId: '', spaceTitle: '', spaceGone: true },
    ...{ spaceArchived: false, missing: true },
  },
];

export const preset = {
  name: 'Review',
  members: [member('main', 'Robin'), member('wren', 'Wren')].map(
    ({ name, agentId, role, speaks, reads }) => ({
      ...{ name, agentId, role, speaks, reads },
    }),
  ),
};

export const registryList: Answer<'Registry'> = {
  ...{ source: 'https://registry.example', shipped: false, fetchedAt: now - hour, checkedAt: now - hour },
  ...{ refreshing: false, failure: null, platform: 'linux-x86_64' },
  folder: `${home}/.local/share/weft/agents`,
  ...{ agents: [...registry], installs: [...installs] },
  broken: [{ id: 'crow', name: 'Crow', reason: 'It has no way to be installed.' }],
};

const accepted = (path: string, change: Partial<CommitFile> = {}): CommitFile => ({
  ...{ path, what: 'edited', added: 1, removed: 2, version: 'v', problem: '', ...change },
});

/** Results of searching all spaces for "apples". */
export const searched: Answer<'Search'> = {
  hits: [
    {
      ...{
        spaceId: 'waits',
        messageId: 'm1',
        segment: 0,
        item: -1,
        kind: 'prompt',
        field: 'text',
        at: now - 20 * minute,
      },
      snippet: [
        { text: 'Count the ' },
        { text: 'apples', hit: true },
        { text: ' in src/apples.js and tell me how many are left' },
      ],
    },
    {
      ...{
        spaceId: 'waits',
        messageId: 'm2',
        segment: 2,
        item: 5,
        kind: 'call',
        field: 'output',
        at: now - 19 * minute,
      },
      ...{ title: 'Run the tests', author: 'Robin', failed: true },
      snippet: [
        { text: '…✗ harvest › counts ' },
        { text: 'apples', hit: true },
        { text: ' of both rows: expected 14, received 12…' },
      ],
    },
    {
      ...{
        spaceId: 'waits',
        messageId: 'm2',
        segment: 3,
        item: -1,
        kind: 'answer',
        field: 'text',
        at: now - 18 * minute,
      },
      ...{
        author: 'Robin',
        snippet: [{ text: 'There are 12 ' }, { text: 'apples', hit: true }, { text: ' left.' }],
      },
    },
    {
      ...{
        spaceId: 'old',
        messageId: 'm7',
        segment: 0,
        item: 0,
        kind: 'thought',
        field: 'text',
        at: now - 40 * day,
      },
      ...{
        author: 'Wren',
        snippet: [
          { text: 'The ' },
          { text: 'apples', hit: true },
          { text: ' are in the cellar, says the README.' },
        ],
      },
    },
  ],
  spaces: [
    { id: 'waits', title: 'Count the apples', folder, agentName: 'Robin', lastActivity: now },
    {
      id: 'old',
      title: 'Where is everything?',
      folder: '/home/me/cellar',
      agentName: 'Wren',
      lastActivity: now - 40 * day,
      archived: true,
    },
  ],
  titles: [
    {
      ...{ id: 'waits', title: 'Count the apples', folder, agentName: 'Robin', lastActivity: now },
      pieces: [{ text: 'Count the ' }, { text: 'apples', hit: true }],
    },
  ],
  ...{ next: 0, index: { done: 61_000, total: 80_000 } },
  notes: ['There is no kind "fruit". Use one of: prompt, answer, thought, call, display, note.'],
};

/** The text around a match. */
export const searchPreview: Answer<'SearchPreview'> = {
  parts: [
    {
      field: 'text',
      pieces: [
        { text: 'Count the ' },
        { text: 'apples', hit: true },
        { text: ' in src/apples.js and tell me how many are left.\n\nThen weigh the crates.' },
      ],
    },
  ],
};

export const commitPlan: Answer<'PlanCommit'> = {
  ...{ branch: 'weigh-crates', hooks: ['pre-commit'], unsigned: true, nameless: false, remote: null },
  files: [
    accepted('src/apples.js'),
    accepted('notes/why.md', { what: 'added', added: 3, removed: 0 }),
    accepted('old.txt', { what: 'deleted', added: 0, removed: 12 }),
    accepted('clean.sh', { what: 'mode', added: 0, removed: 0 }),
    accepted('src/rows.ts', { problem: 'It was changed since you accepted it.' }),
  ],
};

/** An outline with an entry of each kind. */
export const outline: readonly OutlineEntry[] = (
  [
    ['branch', 1, -1, -1, 'Count the pears', 1],
    ['prompt', 1, -1, -1, 'Count the apples in src/apples.js and tell me how many are left', 1],
    ['notice', 2, 0, -1, 'Robin 4.2 is ready.', 1],
    ['edit', 2, 2, 0, `${folder}/src/apples.js`, 3],
    ['edit', 2, 2, 4, `${folder}/test/apples.test.js`, 1],
    ['failure', 2, 2, 5, 'Run the tests: 2 of 14 tests failed', 1],
    ['display', 2, 3, 0, 'Apples by row', 1],
    ['prompt', 3, -1, -1, 'Now the pears', 1],
    ['request', 4, 1, 0, 'Delete src/old.js', 1],
  ] as const
).map(([kind, ord, segment, item, text, count], i) => ({
  ...{ kind, messageId: `m${ord}`, ord, segment, item, text, count },
  ...{ at: now - (20 - i) * minute, ...(kind === 'branch' && { spaceId: 'b1' }) },
}));

const foundProgram = (id: string, name: string, conversations: number, fresh: number) => ({
  ...{ id, name, conversations, new: fresh, bytes: conversations * 310_000 },
  ...{ oldest: now - 200 * day, newest: now - 3 * hour, problem: '' },
});

/** Conversations found in other programs. */
export const foundConversations: FoundConversations = {
  offer: true,
  programs: [
    foundProgram('claude', 'Claude Code', 214, 214),
    foundProgram('codex', 'Codex', 37, 2),
    foundProgram('gemini', 'Gemini CLI', 5, 0),
    {
      ...foundProgram('opencode', 'OpenCode', 0, 0),
      ...{ oldest: 0, newest: 0, problem: 'The database is damaged.' },
    },
  ],
};

/** An import that hasn't started or is in progress. */
export const importJob: ImportJob = {
  running: false,
  progress: {
    ...{ program: 'Claude Code', title: 'Weigh the crates again', read: 96, total: 251 },
    ...{ bytes: 31_000_000, of: 78_000_000 },
  },
  report: null,
  error: '',
};

const programReport = (id: string, name: string, imported: number) => ({
  ...{ id, name, imported, branches: 0, updated: 0, known: 0, deleted: 0, empty: 0, refused: 0 },
});

/** The result of an import. */
export const importReport: ConversationsReport = {
  programs: [
    { ...programReport('claude', 'Claude Code', 210), branches: 12, updated: 2, refused: 2 },
    { ...programReport('codex', 'Codex', 2), known: 35 },
    { ...programReport('gemini', 'Gemini CLI', 4), empty: 1 },
  ],
  problems: [
    {
      ...{
        program: 'Claude Code',
        path: `${home}/.claude/projects/-orchard/0b1c.jsonl`,
        spaceId: '',
        title: '',
      },
      ...{ refused: true, message: 'Weft isn’t allowed to read the file.' },
    },
    {
      ...{ program: 'Claude Code', path: `${home}/.claude/projects/-orchard/77aa.jsonl`, spaceId: 'waits' },
      ...{ title: 'Count the apples', refused: false, message: '2 lines couldn’t be read.' },
    },
  ],
  more: 0,
  canceled: false,
  dryRun: false,
};

const mit = `MIT License

Copyright (c) Fruit Basket Authors

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files, to deal in the Software without restriction.`;
const part = (name: string, version: string, kind: NoticePart['kind'], license: string): NoticePart => ({
  ...{ name, version, kind, license, texts: [0] },
  url:
    kind === 'go'
      ? `https://pkg.go.dev/${name}@${version}`
      : `https://www.npmjs.com/package/${name}/v/${version}`,
});
export const notices: Notices = {
  parts: [
    part('@fruit/orchard', '5.3.0', 'font', 'OFL-1.1'),
    part('basket', '19.3.1', 'npm', 'MIT'),
    part(
      'example.com/a/module/with/a/rather/long/path/v4',
      'v4.0.0-20260820222146-c27c302e5fc3',
      'go',
      'Apache-2.0 AND BSD-3-Clause AND MIT',
    ),
  ],
  texts: [mit],
};
