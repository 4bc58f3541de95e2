import type { Answer, Appearance, Bootstrap, Request, RunSummary } from '../../transport/api';
import type { Answers, Scene } from '../backend';
import { folder, home, agents as usualAgents } from './spaces';
import { files } from './work';

const asked = new URLSearchParams(location.search).get('theme');

/** Appearance of the gallery: taken from its address, otherwise from the system. */
export const appearance: Appearance = {
  theme: asked === 'dark' || asked === 'light' ? asked : 'system',
  ...{ density: 'comfortable', textScale: 100, thoughts: 'in-place', language: 'system' },
};

const nothing = {};

/** The summary of a turn that only wrote text. */
export const nothingDone: RunSummary = {
  ...{ promptId: '', failed: 0, commands: 0, commandsFailed: 0 },
  ...{ files: 0, added: 0, removed: 0, repository: false, waitedMs: 0 },
};

/** Returns as many changed files as a space has. */
const reviewed =
  (changes: NonNullable<Scene['changes']>) =>
  ({ spaceId }: Request<'ReviewChanges'>): Answer<'ReviewChanges'> => ({
    ...{ files: files.slice(0, changes[spaceId] ?? 0), coverage: '', watching: true, last: null },
  });

/** Responses of the backend unless a scene overrides them. */
export function answers({
  spaces = [],
  order = { pins: [], tags: [], projects: [] },
  agents = usualAgents,
  problems = [],
  changes = {},
}: Scene): Answers {
  const boot: Bootstrap = {
    ...{ version: '1.0.0', mode: 'serve', platform: 'linux/amd64', home, folder, appearance },
    ...{ dataDir: `${home}/.local/share/weft`, settingsPath: `${home}/.config/weft/settings.json` },
    ...{ spaces: [...spaces], spacesUntil: 0, order, agents: [...agents], problems: [...problems] },
    toolCalls: { spaceTools: 'rows', rules: [], servers: ['scales'] },
    opened: null,
  };
  return {
    Bootstrap: boot,
    PrepareAgent: nothing,
    MarkSeen: nothing,
    Branches: { spaces: [], forks: [] },
    ListSpaces: [],
    ReviewChanges: reviewed(changes),
    AcceptedFiles: { files: [] },
    RunSummary: nothingDone,
    FilesExist: { paths: [] },
    PermissionRules: [],
    MCPServers: [],
    MemberPresets: [],
    ModelProviders: [],
    Worktrees: [],
    Secrets: { store: 'keychain', keychain: 2, file: 0, missing: [] },
  };
}
