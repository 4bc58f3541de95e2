import type { Draft } from './draft';
import { mainMember, type Run, type WaitInterval } from './model';
import type { Permission, PermissionResolved, RunCreated, RunWaitingTool } from './types';

// Tracks active runs. A run belongs to the space, not to the messages that it writes.

export function startRun(draft: Draft, event: RunCreated): void {
  const others = draft.now.runs.filter(({ id }) => id !== event.runId);
  const run: Run = {
    id: event.runId,
    agentId: event.agentId,
    memberId: event.memberId ?? mainMember,
    startedAt: event.at,
    stopping: false,
    home: event.spaceId ?? '',
    waitsFor: [],
    waitIntervals: [],
  };
  draft.set('runs', [...others, run]);
  if (run.home === '') draft.set('error', null);
}

/** A run waits for the user. The composer handles one that waits for any reply. */
export function runAsks(draft: Draft, event: RunWaitingTool): void {
  if (event.kind === 'reply') return;
  const request = event.requestId ?? event.toolCallId;
  changeRuns(draft, (run) =>
    run.id === event.runId ? waiting(run, [...run.waitsFor, request], event.at) : run,
  );
}

/** A request was answered or withdrawn. The message of the run that asked need not be in memory. */
export function runAsked(draft: Draft, { requestId, at }: PermissionResolved): void {
  changeRuns(draft, (run) =>
    run.waitsFor.includes(requestId)
      ? waiting(
          run,
          run.waitsFor.filter((id) => id !== requestId),
          at,
        )
      : run,
  );
}

/** When a run waited for the user, according to the requests of its messages. */
export function waitIntervalsOf(requests: readonly Permission[]): WaitInterval[] {
  const intervals: [from: number, until: number][] = [];
  for (const { requestedAt: from = 0, resolvedAt: until = 0 } of requests.toSorted(
    (a, b) => (a.requestedAt ?? 0) - (b.requestedAt ?? 0),
  )) {
    if (from === 0) continue;
    const last = intervals.at(-1);
    if (last === undefined || (last[1] !== 0 && last[1] < from)) intervals.push([from, until]);
    else if (last[1] !== 0) last[1] = until === 0 ? 0 : Math.max(last[1], until);
  }
  return intervals;
}

function waiting(run: Run, waitsFor: readonly string[], at: number): Run {
  const last = run.waitIntervals.at(-1);
  const isWaiting = last?.[1] === 0;
  if (isWaiting === waitsFor.length > 0) return { ...run, waitsFor };
  return {
    ...run,
    waitsFor,
    waitIntervals: isWaiting
      ? [...run.waitIntervals.slice(0, -1), [last[0], at]]
      : [...run.waitIntervals, [at, 0]],
  };
}

function changeRuns(draft: Draft, change: (run: Run) => Run): void {
  const { runs } = draft.now;
  const changed = runs.map(change);
  if (changed.some((run, i) => run !== runs[i])) draft.set('runs', changed);
}
