import { t } from '../../i18n';
import { languages } from '../../i18n/language';
import type { SettingsSection } from '../../state/settingsPlace';
import type { Agent, McpServer } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { sectionName } from './sections';

/** A search result of the settings. */
export interface SettingEntry {
  section: SettingsSection;
  /** Id of its element. */
  row: string;
  title: string;
  about: string;
  /** Search terms besides its title and description. */
  words: string;
  /** The tab of the permissions that contains it. */
  permissions?: 'rules' | 'history';
}

/** Settings that only exist in the app window. */
function ofWindow(): SettingEntry[] {
  return [
    {
      section: 'appearance',
      row: 'settings-when-closed',
      title: t('background.whenClosed'),
      about: t('background.whenClosedNote'),
      words: 'tray background quit exit',
    },
    {
      section: 'appearance',
      row: 'settings-at-login',
      title: t('background.atLogin'),
      about: t('background.atLoginNote'),
      words: 'autostart boot system startup login',
    },
  ];
}

/** Settings per agent, in its form. */
function ofAgents(): SettingEntry[] {
  const at = { section: 'agents', row: 'settings-agent-list' } as const;
  const fields = [
    [t('agentForm.command'), t('agentForm.commandNote'), 'program path executable start'],
    [t('agentForm.args'), t('agentForm.argsNote'), 'flags options parameters'],
    [t('agentForm.env'), '', 'variables env secret key token'],
    [t('agentForm.cwd'), '', 'directory cwd path'],
    [t('agentForm.process'), t('agentForm.processNote'), 'shared memory crash'],
    [t('agentForm.sandbox'), t('agentForm.sandboxNote.off'), 'bubblewrap security isolation network'],
    [t('agentForm.modelProxy'), t('agentForm.modelProxyNote.off'), 'tokens cost usage base url'],
  ] as const;
  return fields.map(([title, note, words]) => ({
    ...at,
    title,
    about: note === '' ? t('settings.inAgent') : `${t('settings.inAgent')} ${note}`,
    words,
  }));
}

/** Settings that always exist. */
function fixed(): SettingEntry[] {
  const find = (
    section: SettingsSection,
    row: string,
    title: string,
    about = '',
    words = '',
  ): SettingEntry => ({
    section,
    row,
    title,
    about,
    words,
  });
  return [
    find('agents', 'settings-agents', t('agents.title'), t('agents.lead'), 'acp cli default test log out'),
    find('agents', 'settings-add-agent', t('agents.add'), '', 'new custom command'),
    find(
      'agents',
      'settings-add-agent',
      t('models.use'),
      t('settings.modelNote'),
      'provider api openai anthropic claude gpt gemini google ollama llm base url',
    ),
    find('agents', 'settings-browse-agents', t('agents.browse'), t('registry.lead'), 'install update'),
    find('agents', 'settings-rescan', t('agents.rescan'), '', 'detect find refresh'),
    ...ofAgents(),
    find('mcp', 'settings-mcp', t('mcp.title'), t('mcp.lead'), 'model context protocol tools gateway'),
    find('mcp', 'settings-add-mcp', t('mcp.add'), '', 'new stdio http sse'),
    find('mcp', 'settings-paste-mcp', t('mcp.paste'), t('mcp.pasteNote'), 'import json'),
    find('tools', 'settings-own-tools', t('ownTools.title'), t('ownTools.lead'), 'files own json problems'),
    find('calls', 'settings-calls', t('callRules.title'), t('callRules.lead'), 'hide show rows looks'),
    find('calls', 'settings-add-call-rule', t('callRules.addTitle'), '', 'hidden one line'),
    find(
      'calls',
      'settings-space-tools',
      t('callRules.displays'),
      t('callRules.displaysNote'),
      'cards messages',
    ),
    find('worktrees', 'settings-worktrees', t('worktree.list.title'), t('worktree.list.lead'), 'git branch'),
    find(
      'import',
      'settings-import',
      t('import.settingsTitle'),
      t('import.settingsLead'),
      'history sessions migrate transcripts',
    ),
    find('import', 'settings-import-files', t('import.choose'), t('import.filesNote'), 'json jsonl chatgpt'),
    {
      ...find(
        'permissions',
        'settings-permissions',
        t('permissions.title'),
        t('permissions.lead'),
        'allow reject always ask approve security',
      ),
      permissions: 'rules',
    },
    {
      ...find('permissions', 'settings-add-rule', t('rule.addTitle'), '', 'permission allow reject always'),
      permissions: 'rules',
    },
    {
      ...find(
        'permissions',
        'settings-permissions-view',
        t('action.permissionHistory'),
        t('settings.historyNote'),
        'log decisions audit csv',
      ),
      permissions: 'history',
    },
    find(
      'permissions',
      'settings-recall',
      t('recall.title'),
      t('recall.lead'),
      'search history memory recall',
    ),
    find(
      'secrets',
      'settings-secrets',
      t('secrets.title'),
      t('secrets.lead'),
      'keys passwords tokens credentials',
    ),
    find(
      'secrets',
      'settings-secret-store',
      t('secrets.new'),
      `${t('secrets.place.keychain')}. ${t('secrets.place.file')}`,
      'keyring encryption',
    ),
    find('appearance', 'settings-theme', t('appearance.theme'), '', 'dark light system color mode'),
    find('appearance', 'settings-density', t('appearance.density'), '', 'compact comfortable spacing'),
    find(
      'appearance',
      'settings-thoughts',
      t('appearance.thoughts'),
      t('appearance.thoughtsNote'),
      'thinking reasoning hide',
    ),
    find(
      'appearance',
      'settings-language',
      t('appearance.language'),
      Object.values(languages).join(' '),
      'locale translation',
    ),
    find('appearance', 'settings-text-size', t('appearance.textScale'), '', 'font scale zoom larger smaller'),
    find('appearance', 'settings-notifications', t('notify.label'), t('notify.note'), 'desktop alerts'),
    find(
      'editor',
      'settings-editor-choice',
      t('editor.label'),
      t('editor.lead'),
      'code cursor zed jetbrains vim open file line',
    ),
    find('backups', 'settings-backups', t('backups.title'), t('backups.lead'), 'restore copy save data loss'),
    find('backups', 'settings-daily-backups', t('backups.daily'), '', 'automatic'),
    find(
      'updates',
      'settings-updates',
      t('updates.title'),
      t('updates.findNote'),
      'version upgrade release install',
    ),
    find('updates', 'settings-update-checks', t('updates.daily'), '', 'automatic network'),
    find('about', 'settings-file', t('about.settings'), t('about.note'), 'settings.json config path'),
    find('about', 'settings-data', t('about.data'), '', 'database folder path storage backup'),
    find('about', 'settings-version', t('about.version'), '', 'weft platform release'),
    find(
      'about',
      'settings-notices',
      t('about.notices'),
      t('about.noticesLead'),
      'license copyright open source credits',
    ),
  ];
}

/** All settings, including the user's own entries. */
export function allSettings(
  agents: readonly Agent[],
  servers: readonly McpServer[],
  inWindow = false,
): SettingEntry[] {
  return [
    ...fixed(),
    ...(inWindow ? ofWindow() : []),
    ...agents.map(
      (agent): SettingEntry => ({
        section: 'agents',
        row: `agent-${agent.id}`,
        title: oneLine(agent.name),
        about: oneLine(agent.description),
        words: 'agent',
      }),
    ),
    ...servers.map(
      (server): SettingEntry => ({
        section: 'mcp',
        row: `mcp-${server.name}`,
        title: oneLine(server.name),
        about: oneLine(server.type === 'stdio' ? server.command : server.url),
        words: 'mcp server',
      }),
    ),
  ];
}

const most = 40;

/**
 * Results that contain all words of a query, best first: in the title, then in search terms, then in the description.
 */
export function matching(finds: readonly SettingEntry[], query: string): SettingEntry[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return [];
  const found = finds.flatMap((find) => {
    const title = find.title.toLowerCase();
    const other = `${find.words} ${sectionName(find.section)}`.toLowerCase();
    const about = find.about.toLowerCase();
    const rank = (word: string) => {
      if (title.startsWith(word)) return 0;
      if (title.includes(` ${word}`)) return 1;
      if (title.includes(word)) return 2;
      // Inside invisible words, a few letters would match almost anything.
      if (other.startsWith(word) || other.includes(` ${word}`)) return 3;
      return about.includes(word) ? 4 : -1;
    };
    const ranks = words.map(rank);
    return ranks.includes(-1) ? [] : [{ find, rank: ranks.reduce<number>((sum, one) => sum + one, 0) }];
  });
  // Equal scores keep the order of the sections.
  return found
    .sort((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map(({ find }) => find);
}
