import type { Status } from './types';

/**
 * The words that programs use for the status of a step, without case, spaces, hyphens and underscores: the same as in
 * `backend/conversation/transcript/statusword`.
 */
const words: Record<Status, string> = {
  pending:
    'pending queued scheduled created new todo notstarted initialized ready inputstreaming partialcall',
  running:
    'inprogress running active executing started starting working processing streaming ongoing incomplete inputavailable call approvalresponded',
  waiting:
    'waiting awaiting awaitingapproval awaitingpermission requiresaction needsapproval blocked approvalrequested',
  completed: 'completed complete success succeeded successful ok done finished passed outputavailable result',
  failed: 'failed failure fail error errored timeout timedout crashed exception outputerror',
  cancelled: 'cancelled canceled cancel aborted abort interrupted stopped terminated killed skipped',
  rejected: 'rejected denied refused declined disallowed outputdenied',
};

const statuses = new Map(
  Object.entries(words).flatMap(([status, list]) => list.split(' ').map((word) => [word, status as Status])),
);

/** Returns the status that a program means by a word; undefined if it is unknown. */
export function statusOf(word: string): Status | undefined {
  return word.length > 40 ? undefined : statuses.get(word.toLowerCase().replace(/[\s_-]/g, ''));
}
