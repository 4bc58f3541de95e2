import { keys } from '../../cache/keys';
import type { SettingsSection } from '../../state/settingsPlace';
import type { Background, BackupState, EditorSettings, ImportJob, UpdateState } from '../../transport/api';
import type { Scene } from '../backend';
import { hour, now } from '../clock';
import { home } from '../data/spaces';
import * as work from '../data/work';
import { Window } from '../Window';
import { usual } from './windows';

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
const imported = (change: Partial<ImportJob> = {}): Scene => ({
  answers: { FindConversations: work.foundConversations, ImportState: { ...work.importJob, ...change } },
});
const kept = (days: number, size: number) => ({
  path: `${home}/.local/share/weft/backups/weft-${days}.zip`,
  at: now - days * 24 * hour,
  size,
});
const backups: BackupState = {
  daily: true,
  folder: `${home}/.local/share/weft/backups`,
  backups: [kept(0.4, 48_300_000), kept(1.4, 47_900_000), kept(3.1, 41_200_000)],
  bytes: 137_400_000,
  running: false,
  error: '',
  leftOut: ['agents.opencode.env.OPENAI_API_KEY', 'mcpServers.docs.headers.Authorization'],
};
export const Backups = () => settings('backups', { answers: { Backups: backups } });
export const BackupsFailed = () =>
  settings('backups', {
    answers: {
      Backups: {
        ...backups,
        ...{ daily: false, backups: [], bytes: 0 },
        error:
          "Couldn't write the backup /home/ada/weft.zip: the disk is full. Free some space and try again.",
      },
    },
  });
const updates: UpdateState = {
  ...{ version: '1.4.0', checks: 'daily', how: 'archive', replaces: true, host: 'updates.example.org' },
  ...{
    checkedAt: now - 2 * hour,
    phase: 'idle',
    notice: true,
    ready: '',
    canRestart: true,
    done: 0,
    error: '',
  },
  outcome: null,
  available: {
    ...{ version: '1.5.0', date: now - 26 * hour, size: 41_300_000, command: '' },
    url: 'https://updates.example.org/weft-1.5.0-linux-amd64.tar.gz',
    notes: `* **Search** finds words in images.\n* A turn that waits says for whom.\n\nSee [the manual](https://example.org). <img src=x onerror=alert(1)>`,
  },
};
const wentBack = {
  ...{ from: '1.4.0', to: '1.5.0', failed: true },
  why: "Weft 1.5.0 didn't start, so Weft went back to 1.4.0. Your conversations are as they were.",
};
const updating = (change: Partial<UpdateState>) =>
  settings('updates', { answers: { Updates: { ...updates, ...change } } });
export const Updates = () => updating({});
export const UpdatesNone = () => updating({ available: null, notice: false });
export const UpdatesDownloading = () => updating({ phase: 'downloading', done: 17_800_000 });
export const UpdatesWaiting = () => updating({ phase: 'waiting', ready: '1.5.0' });
export const UpdatesChecking = () => updating({ phase: 'checking', available: null, notice: false });
export const UpdatesRestarting = () => updating({ phase: 'restarting', ready: '1.5.0' });
export const UpdatesReady = () => updating({ phase: 'ready', ready: '1.5.0' });
export const UpdatesFailed = () =>
  updating({
    error: 'The download of weft-1.5.0-linux-amd64.tar.gz ended early: 12.0 MB of 39.4 MB. Try again.',
    outcome: wentBack,
  });
export const UpdatesPackage = () =>
  updating({
    how: 'deb',
    replaces: false,
    available: updates.available && {
      ...updates.available,
      command: 'sudo apt install ./weft-1.5.0-linux-amd64.deb',
    },
  });
export const UpdatesUnable = () =>
  updating({ ...{ checks: 'none', version: 'dev', host: '', available: null, notice: false } });
export const UpdatesAsked = () => (
  <Window
    scene={{ ...usual, answers: { Updates: { ...updates, checks: 'ask', available: null, checkedAt: 0 } } }}
    prepare={(weft) => weft.select('quiet')}
  />
);
const noticing = (change: Partial<UpdateState>) => (
  <Window
    scene={{ ...usual, answers: { Updates: { ...updates, ...change } } }}
    prepare={(weft) => weft.select('quiet')}
  />
);
export const UpdatesNoticed = () => noticing({});
export const UpdatesNoticedReady = () => noticing({ phase: 'ready', ready: '1.5.0' });
export const UpdatesNoticedWaiting = () => noticing({ phase: 'waiting', ready: '1.5.0' });
export const UpdatesNoticedBack = () => noticing({ available: null, notice: false, outcome: wentBack });
export const Import = () => settings('import', imported());
export const ImportRunning = () => settings('import', imported({ running: true }));
export const ImportDone = () => (
  <Window
    scene={{ ...usual, ...imported({ report: work.importReport }) }}
    prepare={(weft) => weft.showSettings('import')}
    clicks={['.import-problems summary']}
  />
);
export const ImportOffered = () => <Window scene={{ ...imported(), spaces: [] }} />;
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
const background: Background = { whenClosed: 'background', atLogin: true, loginError: '', tray: false };
const inWindow = (change: Partial<Background>) =>
  settings('appearance', { window: true, answers: { Background: { ...background, ...change } } });
export const BackgroundSettings = () => inWindow({});
export const BackgroundSettingsFailed = () =>
  inWindow({
    ...{ whenClosed: 'quit', atLogin: false },
    loginError: "Couldn't read /home/ada/.config/autostart/weft.desktop: permission denied.",
  });
const editors: EditorSettings = {
  ...{ use: 'auto', command: '', automatic: 'VS Code' },
  editors: [
    { id: 'code', name: 'VS Code', found: true },
    { id: 'zed', name: 'Zed', found: true },
    { id: 'subl', name: 'Sublime Text', found: false },
  ],
};
export const Editor = () => settings('editor', { answers: { Editors: editors } });
export const EditorNone = () =>
  settings('editor', { answers: { Editors: { ...editors, automatic: '', editors: [] } } });
export const EditorCustom = () =>
  settings('editor', {
    answers: { Editors: { ...editors, use: 'custom', command: 'emacsclient -n +{line}:{column} {path}' } },
  });
export const Search = () => (
  <Window
    scene={{ ...usual, answers: { MCPServers: [...work.servers] } }}
    prepare={(weft) => weft.showSettings('agents')}
    types={['.settings-search input', 'perm']}
  />
);
export const About = () => settings('about');
export const Notices = () => (
  <Window
    scene={usual}
    prepare={(weft) => {
      weft.queries.setQueryData(keys.notices, work.notices);
      weft.showSettings('about');
    }}
    clicks={['#settings-notices .button', '.notices summary']}
  />
);
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
    Registry: work.registryList,
    DownloadSize: { bytes: 48_213_000 },
  },
};
export const Registry = () => (
  <Window scene={registry} prepare={(weft) => weft.show('registry')} clicks={['.registry-line']} />
);
