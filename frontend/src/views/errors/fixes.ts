import type { Agent } from '../../transport/api';
import type { ErrorCode } from '../../transport/codes';

/** An action that may fix an error. */
export type Fix =
  | 'retry'
  | 'restart'
  | 'signIn'
  | 'changeKey'
  | 'chooseModel'
  | 'chooseCommand'
  | 'editAgent'
  | 'install'
  | 'chooseFolder'
  | 'newSpace'
  | 'compact'
  | 'secrets'
  | 'copyDataFolder'
  | 'settings'
  | 'log';

/**
 * Where an error is shown: in a run, before the first prompt because the agent didn't start, or in a test of an agent.
 */
export type ErrorPlace = 'run' | 'start' | 'test';

const again = ['retry'] as const;
const restart = ['restart', 'retry'] as const;
const provider = ['retry', 'chooseModel'] as const;
const folder = ['chooseFolder', 'retry'] as const;
const stored = ['retry', 'copyDataFolder'] as const;
const keychain = ['retry', 'secrets'] as const;
const sandbox = ['editAgent', 'retry'] as const;
/** No specific fix: only what is offered for every error, and what the message says. */
const general = [] as const;

/** The fixes for each error code, best first. A new code must be added here. */
const table: Record<ErrorCode, readonly Fix[]> = {
  invalid: general,
  not_found: general,
  conflict: general,
  busy: again,
  changed: again,
  unsupported: general,
  cancelled: again,
  timeout: restart,
  internal: restart,
  closing: again,
  closed: restart,
  too_many: general,
  incomplete: again,
  unavailable: general,
  dialog: general,
  not_started: general,

  in_use: general,
  io: stored,
  disk: stored,
  disk_full: stored,
  read_only: stored,
  locked: stored,
  damaged: ['copyDataFolder'],
  newer_version: ['copyDataFolder'],
  settings_broken: again,

  agent_unknown: ['settings'],
  agent_missing: ['chooseCommand', 'install', 'retry'],
  agent_not_executable: ['chooseCommand', 'install', 'retry'],
  agent_dir_missing: ['editAgent', 'retry'],
  agent_start_failed: ['retry', 'chooseCommand'],
  agent_exited: restart,
  agent_ended: restart,
  agent_closed: restart,
  agent_stalled: restart,
  agent_silent: restart,
  agent_protocol: ['chooseCommand', 'install'],
  agent_unreadable: ['retry', 'restart'],
  agent_error: ['retry', 'restart'],
  auth_required: ['signIn', 'changeKey', 'retry'],
  empty_answer: again,
  interrupted: restart,
  not_waiting: general,
  no_option: general,
  does_not_fit: general,
  not_read: general,
  denied: general,

  sandbox_missing: sandbox,
  sandbox_refused: sandbox,
  sandbox_unsupported: sandbox,

  empty: general,
  too_large: general,
  not_image: general,
  not_text: general,
  outside: general,
  is_directory: general,
  folder_not_found: folder,
  folder_outside: folder,
  folder_replaced: again,
  folder_timeout: ['retry', 'chooseFolder'],
  not_kept: general,
  editor_missing: general,
  editor_failed: general,

  no_git: again,
  no_repository: general,
  bare: general,
  no_commits: again,
  not_trusted: again,
  unclear: again,
  elsewhere: general,
  invalid_branch: general,
  branch_exists: general,
  invalid_folder: folder,
  unsaved: general,
  commands_unanswered: general,
  commands_changed: again,
  git: again,

  keychain_unavailable: keychain,
  keychain_locked: keychain,
  keychain_silent: keychain,
  secret_missing: ['changeKey', 'secrets', 'retry'],
  secrets_file: keychain,

  unauthorized: ['changeKey', 'signIn', 'retry'],
  unreachable: provider,
  refused: again,
  lost: again,
  mcp_error: again,

  auth: ['changeKey', 'signIn', 'retry'],
  model: ['chooseModel', 'retry'],
  request: provider,
  unmappable: provider,
  context: ['compact', 'newSpace'],
  server: provider,
  broken: provider,

  registry_unreachable: again,
  registry_unreadable: again,
  registry_source: general,
  installed: general,
  unverified_download: general,
  install_scripts: general,
  source_build: general,
  download_failed: again,
  wrong_checksum: again,
  bad_archive: again,
  update_unreachable: again,
  update_unverified: again,
  update_older: again,
  update_broken: general,
  tool_missing: again,
  package_failed: again,
  program_missing: ['install', 'retry'],

  not_member: general,
  no_space: general,
  no_run: general,
  wrong_session: restart,
  no_target: general,
  no_tool: general,
  limit: again,
  deadlock: general,
  failed: again,
};

/** Fixes offered for every error of a place, after the specific ones. */
const always: Record<ErrorPlace, readonly Fix[]> = {
  run: ['restart', 'log', 'settings'],
  start: ['retry', 'settings'],
  test: ['retry'],
};

/** The fixes for an error code. A code of a later Weft version has none. */
export function fixesForCode(code: string): readonly Fix[] {
  return Object.hasOwn(table, code) ? table[code as ErrorCode] : general;
}

/**
 * Returns the available fixes for an error, best first. Before the first run, restarting an agent means trying again.
 */
export function fixesFor(
  code: string,
  { place, retryable, can }: { place: ErrorPlace; retryable: boolean; can(fix: Fix): boolean },
): Fix[] {
  const all = [...fixesForCode(code), ...(retryable ? again : []), ...always[place]];
  const here = all.map((fix) => (fix === 'restart' && place !== 'run' ? 'retry' : fix));
  return [...new Set(here)].filter(can);
}

/** Reports whether an agent has a stored key that the user can change. */
export function hasKey(agent: Agent | undefined): boolean {
  if (agent === undefined || agent.source === 'builtin' || agent.source === 'catalog') return false;
  return agent.model !== null || Object.keys(agent.secretEnv).length > 0;
}

/** Reports whether signing in is the best fix. An agent that is a model with a key uses that key instead. */
export function isBestSignIn(code: string, agent: Agent | undefined): boolean {
  if (agent !== undefined && agent.model !== null) return false;
  return (
    fixesForCode(code).find((fix) => fix === 'signIn' || (fix === 'changeKey' && hasKey(agent))) === 'signIn'
  );
}

/** Errors of a process that ended or doesn't respond: its last output says why. */
const withOutput = new Set([
  'agent_exited',
  'agent_closed',
  'agent_start_failed',
  'agent_silent',
  'agent_stalled',
]);

export const showsOutput = (code: string): boolean => withOutput.has(code);
/** Errors for which it helps to know where Weft stores its data. */
export const showsDataFolder = (code: string): boolean => fixesForCode(code).includes('copyDataFolder');
