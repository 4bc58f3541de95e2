import type { Draft } from './draft';
import { mainMember, type Run } from './model';
import type { RunCreated, RunWaitingTool } from './types';

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
  };
  draft.set('runs', [...others, run]);
  if (run.home === '') draft.set('error', null);
}

/** A run waits for the user. One that waits for any reply is known by what the composer knows of it. */
export function runAsks(draft: Draft, event: RunWaitingTool): void {
  if (event.kind === 'reply') return;
  changeRuns(draft, (run) =>
    run.id === event.runId ? [...run.waitsFor, event.requestId ?? event.toolCallId] : run.waitsFor,
  );
}

/** A request is answered or withdrawn: the run that asked need not have its message held. */
export function runAsked(draft: Draft, requestId: string): void {
  changeRuns(draft, ({ waitsFor }) =>
    waitsFor.includes(requestId) ? waitsFor.filter((id) => id !== requestId) : waitsFor,
  );
}

function changeRuns(draft: Draft, waitsFor: (run: Run) => readonly string[]): void {
  const { runs } = draft.now;
  const changed = runs.map((run) => {
    const now = waitsFor(run);
    return now === run.waitsFor ? run : { ...run, waitsFor: now };
  });
  if (changed.some((run, i) => run !== runs[i])) draft.set('runs', changed);
}
