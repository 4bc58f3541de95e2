import type { Appearance, Bootstrap } from '../../transport/api';
import type { Answers, Scene } from '../backend';
import { agents, folder, home } from './spaces';

const asked = new URLSearchParams(location.search).get('theme');

/** How the gallery looks: as its address says, else as the system does. */
export const appearance: Appearance = {
  theme: asked === 'dark' || asked === 'light' ? asked : 'system',
  ...{ density: 'comfortable', textScale: 100, thoughts: 'in-place' },
};

const nothing = {};

/** What a backend answers, where a scene has nothing else. */
export function answers({ spaces = [], problems = [] }: Scene): Answers {
  const boot: Bootstrap = {
    ...{ version: '1.0.0', mode: 'serve', platform: 'linux/amd64', home, folder, appearance },
    ...{ dataDir: `${home}/.local/share/weft`, settingsPath: `${home}/.config/weft/settings.json` },
    ...{ spaces: [...spaces], agents: [...agents], problems: [...problems] },
    toolCalls: { spaceTools: 'rows', rules: [], servers: ['scales'] },
  };
  return {
    Bootstrap: boot,
    PrepareAgent: nothing,
    MarkSeen: nothing,
    Branches: { spaces: [], forks: [] },
    ListSpaces: [],
    ReviewChanges: { files: [], coverage: '', watching: true, last: null },
    PermissionRules: [],
    MCPServers: [],
    MemberPresets: [],
    ModelProviders: [],
    Worktrees: [],
    Secrets: { store: 'keychain', keychain: 2, file: 0 },
  };
}
