import type { QueryKey } from '@tanstack/react-query';
import type { AppEvent, Space } from '../transport/api';
import { keys } from './keys';

/**
 * The answers that an event of the backend makes outdated. `before` is the space of the event as the window knew it. This
 * is the only place that says so; what an event carries itself is taken over by the state of the window.
 */
export function outdatedBy(event: AppEvent, before: Space | undefined): readonly QueryKey[] {
  switch (event.type) {
    case 'permission_rules':
      return [keys.rules];
    case 'mcp_servers':
      // Any change of the settings is told in this way.
      return [keys.mcpServers, keys.secrets, keys.editors, keys.recall, keys.backups, keys.background];
    case 'registry':
      return [keys.registry];
    case 'changes':
      return [keys.changes(event.spaceId)];
    case 'space':
      return outdatedBySpace(event.space, before);
    case 'space_removed':
      return [keys.archived, keys.run, keys.worktrees, ...(before ? [keys.branches(before.treeId)] : [])];
    case 'backups':
      return [keys.backups];
    case 'updates':
      return [keys.updates];
    case 'imports':
      return event.import.running ? [keys.importJob] : [keys.importJob, keys.found];
    case 'agents':
      // Their secrets are counted.
      return [keys.secrets];
    default:
      return [];
  }
}

function outdatedBySpace(space: Space, before: Space | undefined): QueryKey[] {
  const outdated: QueryKey[] = [];
  const turned = before?.state !== space.state;
  const renamed = before?.title !== space.title;
  if (before === undefined || space.archived) outdated.push(keys.archived);
  if (before === undefined || space.archived || renamed) outdated.push(keys.worktrees);
  // A turn that begins or ends may have changed files and added messages. What it asks for meanwhile does neither, and has to be shown at once.
  const worked = before === undefined || isAtWork(before) !== isAtWork(space);
  if (worked || renamed) outdated.push(keys.branches(space.treeId));
  if (worked) outdated.push(keys.changes(space.id));
  if (turned || before.lastActivity !== space.lastActivity) outdated.push(keys.run);
  return outdated;
}

const isAtWork = ({ state }: Space): boolean => state === 'running' || state === 'waiting';
