import { lazy } from 'react';

// Screens that are not the first one are loaded after it, before anyone asks for them.

const parts = {
  settings: () => import('../settings/Settings'),
  log: () => import('../log/ProtocolLog'),
  palette: () => import('../palette/Commands'),
};

export const Settings = lazy(async () => ({ default: (await parts.settings()).Settings }));
export const ProtocolLog = lazy(async () => ({ default: (await parts.log()).ProtocolLog }));
export const Commands = lazy(async () => ({ default: (await parts.palette()).Commands }));

/** Loads them all once there is nothing else to do. */
export function loadLater(): void {
  setTimeout(() => {
    for (const load of Object.values(parts)) void load();
  }, 300);
}
