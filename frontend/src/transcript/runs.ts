import type { Draft } from './draft';
import { mainMember, type Rest, type Run } from './model';
import type { Permission, PermissionResolved, RunCreated, RunWaitingTool } from './types';

// Who works now. A run is of the space, not of the messages that it writes.

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
    rests: [],
  };
  draft.set('runs', [...others, run]);
  if (run.home === '') draft.set('error', null);
}

/** A run waits for the user. One that waits for any reply is known by what the composer knows of it. */
export function runAsks(draft: Draft, event: RunWaitingTool): void {
  if (event.kind === 'reply') return;
  const request = event.requestId ?? event.toolCallId;
  changeRuns(draft, (run) =>
    run.id === event.runId ? waiting(run, [...run.waitsFor, request], event.at) : run,
  );
}

/** A request is answered or withdrawn: the run that asked need not have its message held. */
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

/** When a run has waited for the user, by the requests of its messages. */
export function restsOf(requests: readonly Permission[]): Rest[] {
  const rests: [from: number, until: number][] = [];
  for (const { requestedAt: from = 0, resolvedAt: until = 0 } of requests.toSorted(
    (a, b) => (a.requestedAt ?? 0) - (b.requestedAt ?? 0),
  )) {
    if (from === 0) continue;
    const last = rests.at(-1);
    if (last === undefined || (last[1] !== 0 && last[1] < from)) rests.push([from, until]);
    else if (last[1] !== 0) last[1] = until === 0 ? 0 : Math.max(last[1], until);
  }
  return rests;
}

function waiting(run: Run, waitsFor: readonly string[], at: number): Run {
  const last = run.rests.at(-1);
  const rests = last?.[1] === 0;
  if (rests === waitsFor.length > 0) return { ...run, waitsFor };
  return {
    ...run,
    waitsFor,
    rests: rests ? [...run.rests.slice(0, -1), [last[0], at]] : [...run.rests, [at, 0]],
  };
}

function changeRuns(draft: Draft, change: (run: Run) => Run): void {
  const { runs } = draft.now;
  const changed = runs.map(change);
  if (changed.some((run, i) => run !== runs[i])) draft.set('runs', changed);
}
