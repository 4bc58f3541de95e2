/** The sections of the settings, in their order. */
export const settingsSections = [
  'agents',
  'mcp',
  'tools',
  'calls',
  'worktrees',
  'import',
  'permissions',
  'secrets',
  'appearance',
  'editor',
  'backups',
  'updates',
  'about',
] as const;

export type SettingsSection = (typeof settingsSections)[number];

const address = /^#settings(?:\/([\w-]*))?$/;

/**
 * The section that an address of the settings names, such as "#settings/permissions"; null for one that names none that
 * there is, and undefined for what is no address of the settings.
 */
export function sectionOf(hash: string): SettingsSection | null | undefined {
  const match = address.exec(hash);
  if (match === null) return undefined;
  return settingsSections.find((section) => section === match[1]) ?? null;
}

/** The address of a section. */
export function addressOf(section: SettingsSection): string {
  return `#settings/${section}`;
}
