/** The sections of the settings, in order. */
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
 * Parses a settings address such as "#settings/permissions". Returns null for an unknown section, and undefined if it
 * is no settings address.
 */
export function sectionOf(hash: string): SettingsSection | null | undefined {
  const match = address.exec(hash);
  if (match === null) return undefined;
  return settingsSections.find((section) => section === match[1]) ?? null;
}

/** Returns the address of a section. */
export function addressOf(section: SettingsSection): string {
  return `#settings/${section}`;
}
