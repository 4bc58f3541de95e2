import type { Draft } from './draft';
import { mainMember, type Run } from './model';
import type { RunCreated } from './types';

// Who works now. A run is of the space, not of the messages that it writes.

export function startRun(draft: Draft, event: RunCreated): void {
  const others = draft.now.runs.filter(({ id }) => id !== event.runId);
  const run: Run = {
    id: event.runId,
    agentId: event.agentId,
    memberId: event.memberId ?? mainMember,
    startedAt: event.at,
    stopping: false,
    waiting: false,
  };
  draft.set('runs', [...others, run]);
  draft.set('error', null);
}

export function changeRun(draft: Draft, runId: string | undefined, change: Partial<Run>): void {
  const { runs } = draft.now;
  const run = runs.find(({ id }) => id === runId);
  if (run === undefined || Object.entries(change).every(([key, is]) => run[key as keyof Run] === is)) return;
  draft.set(
    'runs',
    runs.map((one) => (one === run ? { ...one, ...change } : one)),
  );
}

export function runIdOf(draft: Draft, messageId: string): string | undefined {
  return draft.now.messages.findLast(({ id }) => id === messageId)?.runId;
}
