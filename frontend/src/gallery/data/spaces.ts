import type { Agent, Member, Space, Wait } from '../../transport/api';
import { day, hour, minute, now } from '../clock';

export const home = '/home/ada';
export const folder = `${home}/orchard`;

export function member(id: string, name: string, change: Partial<Member> = {}): Member {
  return {
    ...{ id, name, agentId: name.toLowerCase(), agentName: name, role: '', joinedAt: now - day },
    ...{ speaks: 'direct', reads: 'all', default: id === 'main', ...change },
  };
}

export function space(id: string, title: string, change: Partial<Space> = {}): Space {
  return {
    ...{ id, title, folder, noFolder: false, agentId: 'robin', agentName: 'Robin', state: 'idle' },
    ...{
      archived: false,
      createdAt: now - 2 * day,
      lastActivity: now - 5 * minute,
      unseen: false,
      waits: [],
    },
    ...{ worktree: null, permissions: 'ask', members: [member('main', 'Robin')], treeId: id, parentId: '' },
    ...{ project: change.folder ?? folder, madeBy: 'user', tags: [], draft: false, importedFrom: '' },
    ...change,
  };
}

export function wait(requestId: string, title: string, change: Partial<Wait> = {}): Wait {
  return { requestId, title, kind: 'execute', at: now - 3 * minute, ...change };
}

const tree = {
  ...{ id: 'tree-1', path: `${home}/orchard-worktrees/weigh`, repository: folder },
  ...{ branch: 'weigh-crates', baseBranch: 'main' },
};

/** One space for each state in the list of spaces. */
export const states: readonly Space[] = [
  space('waits', 'Count the apples', {
    ...{ state: 'waiting', lastActivity: now - 2 * minute },
    waits: [
      wait('w1', 'Run the tests', { line: 'npm test -- --watch=false', at: now - 12 * minute }),
      wait('w2', 'Edit src/apples.js', {
        ...{ path: `${folder}/src/apples.js`, writes: true, kind: 'edit', at: now - 3 * minute },
      }),
    ],
  }),
  space('runs', 'Move the ladder to the far end of the orchard before the wind comes', {
    ...{ state: 'running', lastActivity: now - 20_000 },
  }),
  space('failed', 'Sort the pears', { state: 'failed', unseen: true, lastActivity: now - 8 * minute }),
  space('unseen', 'Weigh the harvest', { unseen: true, lastActivity: now - 50 * minute, worktree: tree }),
  space('team', 'Plan the autumn', {
    ...{ lastActivity: now - 3 * hour },
    members: [member('main', 'Robin'), member('wren', 'Wren'), member('finch', 'Finch')],
  }),
  space('quiet', 'Name the rows', {
    ...{ lastActivity: now - day, agentId: 'wren', agentName: 'Wren', members: [member('main', 'Wren')] },
  }),
  space('bare', '', { noFolder: true, lastActivity: now - 9 * day }),
];

export function agent(id: string, name: string, change: Partial<Agent> = {}): Agent {
  return {
    ...{ id, name, description: '', homepage: '', command: id, args: ['acp'], env: {}, cwd: '' },
    ...{ sandbox: null, modelProxy: null, process: 'shared', source: 'found', installed: true },
    ...{ installHint: '', default: false, secretEnv: {}, logOut: false, registry: null, model: null },
    ...{ unasked: null, tested: null, leads: [], wholeFrom: '', ...change },
  };
}

export const agents: readonly Agent[] = [
  agent('guide', 'Guide', {
    ...{ source: 'builtin', description: 'Comes with Weft and works offline.', command: '', args: [] },
  }),
  agent('robin', 'Robin', {
    ...{ default: true, description: 'Edits code in a project.', homepage: 'https://robin.example' },
    tested: { at: now - 2 * hour, ok: true, name: 'robin', version: '2.4.0', failure: '', changed: false },
  }),
  agent('wren', 'Wren', {
    ...{ source: 'custom', command: '/opt/wren/bin/wren', args: ['--acp', '--quiet'], logOut: true },
    tested: {
      ...{ at: now - day, ok: false, name: '', version: '', changed: false },
      failure: 'Couldn’t start Wren: the command was not found.',
    },
  }),
  agent('finch', 'Finch', {
    ...{ source: 'custom', command: '', args: [], process: 'perSpace' },
    description: 'Anthropic, finch-large',
    model: { provider: 'anthropic', model: 'finch-large' },
    unasked: {
      ...{ kind: 'edit', about: `${folder}/src/apples.js`, spaceId: 'waits', at: now - hour },
      ...{ offered: true, problem: '' },
    },
  }),
  agent('heron', 'Heron', {
    ...{ source: 'catalog', installed: false, installHint: 'npm install -g heron-agent' },
    description: 'Reads long documents.',
  }),
];
