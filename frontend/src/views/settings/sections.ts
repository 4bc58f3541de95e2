import { t } from '../../i18n';
import type { SettingsSection } from '../../state/settingsPlace';

/** The groups in the list of sections. */
export const sectionGroups: readonly {
  name: 'agents' | 'spaces' | 'security' | 'weft';
  sections: readonly SettingsSection[];
}[] = [
  { name: 'agents', sections: ['agents', 'mcp', 'tools'] },
  { name: 'spaces', sections: ['calls', 'worktrees', 'import'] },
  { name: 'security', sections: ['permissions', 'secrets'] },
  { name: 'weft', sections: ['appearance', 'editor', 'backups', 'updates', 'about'] },
];

/** The sections in the order of the list. */
export const listedSections = sectionGroups.flatMap(({ sections }) => sections);

/** The name of a section, which is also its heading. */
export function sectionName(section: SettingsSection): string {
  return t(`settings.sections.${section}`);
}
