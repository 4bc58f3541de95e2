import type { HistoryFilter } from '../transport/api';

/** The names of the answers in the cache. A shorter key names all that begin with it. */
export const keys = {
  rules: ['rules'],
  ruleReach: (asked: string) => ['rules', 'reach', asked],
  ruleSuggestion: (spaceId: string, requestId: string) => ['rule-suggestion', spaceId, requestId],
  history: (filter: HistoryFilter) => ['permission-history', filter],
  mcpServers: ['mcp-servers'],
  secrets: ['secrets'],
  recall: ['recall'],
  editors: ['editors'],
  registry: ['registry'],
  downloadSize: (id: string, revision: string, kind: string) => ['download-size', id, revision, kind],
  presets: ['member-presets'],
  providers: ['model-providers'],
  worktrees: ['worktrees'],
  worktree: (worktreeId: string) => ['worktree', worktreeId],
  repository: (folder: string, title: string) => ['repository', folder, title],
  changes: (spaceId: string) => ['changes', spaceId],
  diff: (spaceId: string, fileId: number | undefined, version: string, changed: boolean) => [
    ...['changes', spaceId],
    ...['diff', fileId, version, changed],
  ],
  // A turn and what can be committed change with what changed.
  runSummary: (spaceId: string, runId: string) => ['changes', spaceId, 'run', runId],
  commitPlan: (spaceId: string) => ['commit-plan', spaceId],
  undoPlan: (spaceId: string, messageId: string) => ['undo-plan', spaceId, messageId],
  visited: (spaceId: string) => ['visited', spaceId],
  branches: (treeId: string) => ['branches', treeId],
  tree: (treeId: string, spaceId: string) => ['branches', treeId, spaceId],
  archived: ['archived'],
  archivedLike: (query: string) => ['archived', query],
  folders: (path: string) => ['folders', path],
  earlier: (agentId: string, folder: string) => ['earlier', agentId, folder],
  run: ['run'],
  runMessages: (runId: string) => ['run', runId],
  searchPreview: (place: string, query: string) => ['search-preview', place, query],
  usage: (spaceId: string) => ['usage', spaceId],
  log: (spaceId: string, memberId: string, filter: string, runs: string) => [
    ...['log', spaceId],
    ...[memberId, filter, runs],
  ],
} as const;
