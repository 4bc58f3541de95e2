import type { QueryKey } from '@tanstack/react-query';
import type { AppEvent, Space } from '../transport/api';
import { keys } from './keys';

/**
 * Returns the cache keys that a backend event invalidates. `before` is the space of the event as the window last knew
 * it. This is the only place that decides it; data carried by the event itself goes into the window's state.
 */
export function outdatedBy(event: AppEvent, before: Space | undefined): readonly QueryKey[] {
  switch (event.type) {
    case 'permission_rules':
      return [keys.rules];
    case 'mcp_servers':
      // This event reports any settings change.
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
      // Includes the number of secrets per MCP server.
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
  // A turn that starts or ends may have changed files and added messages. A permission request does neither and must be
  // shown at once.
  const worked = before === undefined || isAtWork(before) !== isAtWork(space);
  if (worked || renamed) outdated.push(keys.branches(space.treeId));
  if (worked) outdated.push(keys.changes(space.id));
  if (turned || before.lastActivity !== space.lastActivity) outdated.push(keys.run);
  return outdated;
}

const isAtWork = ({ state }: Space): boolean => state === 'running' || state === 'waiting';
