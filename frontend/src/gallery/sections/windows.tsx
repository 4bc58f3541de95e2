import { useEffect } from 'react';
import { toast } from 'sonner';
import type { SettingsSection } from '../../state/settingsPlace';
import type { PanelName } from '../../state/shown';
import type { Weft } from '../../state/weft';
import { CommandError } from '../../transport/transport';
import { forever, type Scene } from '../backend';
import { day, hour, minute, now } from '../clock';
import { folder, home, space, states } from '../data/spaces';
import { Talk } from '../data/talk';
import * as work from '../data/work';
import { Window } from '../Window';
import { offered, plan, queue } from './writing';

const apples = () => {
  const talk = new Talk('waits');
  talk.events.push(...work.apples.events);
  return talk.state('session', offered).state('usage', { used: 42_000, size: 200_000 }).state('plan', plan);
};

const usual: Scene = {
  spaces: states,
  talks: { waits: apples().events, unseen: work.weighed.events },
  changes: { waits: 3 },
};

const inSpace = (weft: Weft) => weft.select('waits');

const withPanel = (panel: PanelName, change: Scene = {}) => (
  <Window
    scene={{ ...usual, ...change }}
    prepare={(weft) => {
      inSpace(weft);
      weft.shown.set({ panel, shownRun: 'run' });
    }}
  />
);

const settings = (
  section: SettingsSection,
  change: Scene = {},
  permissions: 'rules' | 'history' = 'rules',
) => (
  <Window
    scene={{ ...usual, ...change }}
    prepare={(weft) => weft.showSettings(section, null, { permissions })}
  />
);

const menu = (...clicks: string[]) => <Window scene={usual} prepare={inSpace} clicks={clicks} />;

export const Space = () => (
  <Window scene={{ ...usual, talks: { waits: apples().state('queue', queue).events } }} prepare={inSpace} />
);
export const SpaceEmpty = () => <Window scene={usual} prepare={(weft) => weft.select('quiet')} />;
export const SpaceLoading = () => (
  <Window scene={{ ...usual, answers: { OpenSpace: forever } }} prepare={inSpace} />
);
export const SpaceFailed = () => (
  <Window
    scene={{
      ...usual,
      answers: { OpenSpace: new CommandError('failed', 'The database could not be read: the disk is full.') },
    }}
    prepare={inSpace}
  />
);
export const First = () => <Window scene={{}} />;
export const NewSpace = () => <Window scene={usual} prepare={(weft) => weft.show('new')} />;
export const Failed = () => (
  <Window
    scene={{ answers: { Bootstrap: new CommandError('failed', 'Weft did not answer within 30 seconds.') } }}
  />
);
export const Refused = () => (
  <Window
    scene={{ connection: 'refused', answers: { Bootstrap: new CommandError('refused', 'No session.') } }}
  />
);
export const Problems = () => (
  <Window
    scene={{
      ...{ ...usual, connection: 'offline' },
      problems: [
        {
          ...{ code: 'settings', path: `${home}/.config/weft/settings.json`, line: 14, column: 3 },
          message: 'The settings have a mistake and are ignored: expected a comma.',
        },
      ],
    }}
    prepare={(weft) => weft.select('unseen')}
  />
);

export const Agents = () => settings('agents', { answers: { ModelProviders: [...work.providers] } });
export const Mcp = () => settings('mcp', { answers: { MCPServers: [...work.servers] } });
export const OwnTools = () =>
  settings('tools', {
    problems: [
      {
        ...{ code: 'tools', path: `${home}/.config/weft/tools/weigh.json`, line: 3, column: 7 },
        message: 'The tool "weigh" has no description.',
      },
    ],
  });
export const CallRules = () => settings('calls');
export const Worktrees = () => settings('worktrees', { answers: { Worktrees: [...work.worktrees] } });
export const Permissions = () => settings('permissions', { answers: { PermissionRules: [...work.rules] } });
export const History = () =>
  settings(
    'permissions',
    {
      answers: {
        PermissionHistory: {
          more: true,
          decisions: (['allowed', 'refused', 'unasked', 'cancelled', 'answered'] as const).map(
            (outcome, i) => ({
              ...{ n: i, at: now - i * hour, spaceId: 'waits', space: 'Count the apples', agentId: 'robin' },
              ...{ agentName: 'Robin', kind: 'execute', title: 'Run the tests', about: 'npm test', outcome },
              ...{ option: 'Allow once', by: 'person', ruleId: '', rule: '' },
            }),
          ),
        },
      },
    },
    'history',
  );
export const Secrets = () => settings('secrets');
export const Appearance = () => settings('appearance');
export const About = () => settings('about');
export const AgentForm = () => (
  <Window
    scene={{ ...usual, answers: { ModelProviders: [...work.providers] } }}
    prepare={(weft) => weft.showSettings('agents')}
    clicks={['#settings-add-agent']}
  />
);

const registry: Scene = {
  ...usual,
  installs: work.installs,
  answers: {
    Registry: {
      ...{ source: 'https://registry.example', shipped: false, fetchedAt: now - hour, checkedAt: now - hour },
      ...{
        refreshing: false,
        failure: null,
        platform: 'linux-x86_64',
        folder: `${home}/.local/share/weft/agents`,
      },
      ...{ agents: [...work.registry], installs: [...work.installs] },
      broken: [{ id: 'crow', name: 'Crow', reason: 'It has no way to be installed.' }],
    },
    DownloadSize: { bytes: 48_213_000 },
  },
};
export const Registry = () => (
  <Window scene={registry} prepare={(weft) => weft.show('registry')} clicks={['.registry-line']} />
);

export const Changes = () => (
  <Window
    scene={{
      ...usual,
      answers: {
        ReviewChanges: { files: [...work.files], coverage: '', watching: true, last: null },
        ReviewDiff: work.diff,
      },
    }}
    prepare={(weft) => {
      inSpace(weft);
      weft.shown.set({ panel: 'changes' });
    }}
    clicks={['.change-open']}
  />
);
export const Branches = () =>
  withPanel('branches', { answers: { Branches: { spaces: [...work.tree], forks: [] } } });
export const Members = () => (
  <Window
    scene={{ ...usual, answers: { MemberPresets: [work.preset] } }}
    prepare={(weft) => {
      weft.select('team');
      weft.shown.set({ panel: 'members' });
    }}
  />
);
export const Run = () =>
  withPanel('run', {
    answers: {
      RunMessages: {
        run: {
          ...{
            id: 'run',
            spaceId: 'waits',
            messageId: 'm',
            agentId: 'robin',
            agentName: 'Robin',
            memberId: 'main',
          },
          ...{ model: 'sparrow-4', promptId: 'p', startedAt: now - 3 * minute, endedAt: now - minute },
          ...{ stopReason: 'end_turn', usage: null, error: null },
        },
        messages: [
          { spaceId: 'waits', spaceTitle: 'Count the apples', messageId: 'm', createdAt: now - 3 * minute },
          { spaceId: 'team', spaceTitle: 'Plan the autumn', messageId: 'n', createdAt: now - 2 * minute },
        ],
      },
    },
  });
export const Log = () => withPanel('log', { answers: { ProtocolLog: [...work.log] } });
export const Follow = () => {
  const place = { path: `${folder}/src/apples.js`, line: 2, to: 2, at: now - minute };
  return (
    <Window
      scene={{
        ...usual,
        places: { waits: place },
        answers: {
          VisitedPlaces: { places: [place] },
          ReadSpaceFile: {
            ...{ text: work.diff.text, from: 1, lines: 7, total: 7, size: work.diff.text.length },
            ...{ changedAt: now - minute, binary: false, more: false },
          },
        },
      }}
      prepare={(weft) => {
        inSpace(weft);
        weft.toggleFollow('waits');
      }}
    />
  );
};

const dialog = (open: (weft: Weft) => void, change: Scene = {}) => (
  <Window
    scene={{ ...usual, ...change }}
    prepare={(weft) => {
      inSpace(weft);
      open(weft);
    }}
  />
);
export const Palette = () => dialog((weft) => weft.open('palette'));
export const Keyboard = () => dialog((weft) => weft.open('keyboard'));
export const Import = () => dialog((weft) => weft.open('import'));
export const Delete = () =>
  dialog((weft) => weft.dialogs.set({ deleting: { space: space('quiet', 'Name the rows'), agent: 'Wren' } }));
export const WorktreeDialog = () => {
  const [worktree] = work.worktrees;
  const none = { count: 0, names: [] };
  return dialog((weft) => weft.dialogs.set({ worktree: { id: 'tree-1', next: null } }), {
    answers: {
      Worktrees: [...work.worktrees],
      ...(worktree !== undefined && {
        WorktreeState: {
          ...{ worktree, foreign: false, repositoryGone: false, locked: false, lockReason: '', hidden: none },
          ...{
            changed: { count: 2, names: ['src/apples.js', 'src/main.js'] },
            ignored: none,
            submodules: [],
          },
          ...{
            untracked: { count: 1, names: ['notes/why.md'] },
            busy: '',
            current: 'weigh-crates',
            loose: 0,
          },
          ...{ unmerged: 2, unpushed: 0, branchGone: false, unsaved: true, token: 't' },
        },
      }),
    },
  });
};
export const Undo = () =>
  dialog((weft) => weft.dialogs.set({ undoSince: { spaceId: 'waits', messageId: 'waits-m1' } }), {
    answers: {
      PlanUndo: {
        known: true,
        files: [
          {
            path: 'src/apples.js',
            what: 'edit',
            added: 2,
            removed: 1,
            conflict: '',
            stuck: '',
            version: 'v',
          },
          {
            path: 'notes/why.md',
            what: 'remove',
            added: 0,
            removed: 3,
            conflict: 'edited',
            stuck: '',
            version: 'v',
          },
        ],
      },
    },
  });
export const Folder = () => (
  <Window
    scene={{
      ...usual,
      answers: {
        ListFolders: { path: home, parent: '/home', folders: ['garden', 'orchard', 'pictures', '.config'] },
      },
    }}
    prepare={(weft) => weft.show('new')}
    clicks={['.folder-button']}
  />
);
export const Earlier = () => (
  <Window
    scene={{
      ...usual,
      answers: {
        EarlierSessions: {
          ...{ next: 'more', forget: true },
          sessions: ['Count the pears', 'Mend the fence', ''].map((title, i) => ({
            ...{
              sessionId: `e${i}`,
              title,
              folder,
              updatedAt: now - (i + 1) * day,
              spaceId: i === 1 ? 'quiet' : '',
            },
          })),
        },
      },
    }}
    prepare={(weft) => weft.show('new')}
    clicks={['.earlier-button']}
  />
);

export const SpaceMenu = () => menu('.space-more');
export const PanelsMenu = () => menu('.space-header button[aria-haspopup="menu"]');
export const ModeMenu = () => menu('.composer-mode');
export const ModelMenu = () => menu('.option-trigger');
export const UsageMenu = () => (
  <Window
    scene={{
      ...usual,
      answers: {
        Usage: {
          last: null,
          space: {
            ...{ runs: 3, input: 120_400, output: 8_200, cachedRead: 98_000, total: 226_600 },
            costs: [{ amount: 0.42, currency: 'USD' }],
          },
          today: { runs: 9, input: 420_400, output: 18_200, cachedRead: 198_000, total: 636_600, costs: [] },
        },
      },
    }}
    prepare={inSpace}
    clicks={['.usage-trigger']}
  />
);

export function Toasts() {
  useEffect(() => {
    const duration = Number.POSITIVE_INFINITY;
    const action = { label: 'Undo', onClick: () => {} };
    toast('The address was copied.', { duration });
    toast('Name the rows was archived.', { duration, action });
    toast.error('Couldn’t send the prompt.', {
      duration,
      description: 'The agent has ended: exit status 1.',
    });
    return () => void toast.dismiss();
  }, []);
  return <Window scene={usual} prepare={inSpace} />;
}
