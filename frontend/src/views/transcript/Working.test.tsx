import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Message, Run } from '../../transcript/model';
import { Working } from './Working';

const backend = vi.hoisted(() => ({
  progress: {} as Record<string, unknown>,
  run: {} as Partial<Run>,
  panels: [] as string[],
  stopped: [] as string[],
}));

vi.mock('../../queries/runs', () => ({ useRunProgress: () => ({ data: backend.progress }) }));
vi.mock('../../state/weft', () => ({
  useWeft: () => ({ shown: { panel: null }, togglePanel: (panel: string) => backend.panels.push(panel) }),
}));
vi.mock('../../state/store', () => ({
  useStore: (store: unknown, pick: (state: unknown) => unknown) => pick(store),
}));
vi.mock('../../commands/spaces', () => ({
  stopRun: async (_weft: unknown, spaceId: string, runId: string) =>
    void backend.stopped.push(`${spaceId} ${runId}`),
}));
vi.mock('./reading', () => ({
  useReading: () => ({ session: { spaceId: 's1', store: { conversation: { runs: [backend.run] } } } }),
}));

const begun = 1_000_000_000_000;

beforeEach(() => {
  vi.useFakeTimers({ now: begun });
  backend.run = { id: 'r1', startedAt: begun, stopping: false, waitsFor: [] };
  backend.progress = { phase: 'working', sentAt: begun, workedAt: 0, seen: '', seenAt: 0 };
  backend.panels = [];
  backend.stopped = [];
});
afterEach(() => void vi.useRealTimers());

const message = { id: 'm1', runId: 'r1', createdAt: begun, author: { name: 'Claude' } } as Message;
const show = (ms: number) => {
  const { container } = render(<Working message={message} />);
  act(() => void vi.advanceTimersByTime(ms));
  return container.textContent?.replaceAll('\u202f', ' ');
};

describe('an agent that has shown nothing yet', () => {
  it('works', () => {
    expect(show(14_000)).toBe('Working');
  });

  it('is started first', () => {
    backend.progress = { phase: 'starting', sentAt: 0, workedAt: 0, seen: '', seenAt: 0 };
    expect(show(0)).toBe('Starting Claude');
  });

  it('is being started for a while', () => {
    backend.progress = { phase: 'starting', sentAt: 0, workedAt: 0, seen: '', seenAt: 0 };
    expect(show(20_000)).toBe('Starting Claude for 20 sStopProtocol log');
  });

  it('says after 15 s since when, what was seen last, and what can be done', () => {
    backend.progress = { ...backend.progress, seen: 'commands', seenAt: begun + 1000 };
    expect(show(16_000)).toBe('Working for 16 sLast received: list of commands, 15 s ago.StopProtocol log');
    fireEvent.click(screen.getByRole('button', { name: 'Stop' }));
    fireEvent.click(screen.getByRole('button', { name: 'Protocol log' }));
    expect(backend.stopped).toEqual(['s1 r1']);
    expect(backend.panels).toEqual(['log']);
  });

  it('says that nothing came', () => {
    expect(show(15_000)).toContain('Nothing received since the prompt.');
  });

  it('works where its work is hidden', () => {
    backend.progress = {
      ...backend.progress,
      workedAt: begun + 10_000,
      seen: 'work',
      seenAt: begun + 10_000,
    };
    expect(show(16_000)).toBe('Working');
  });

  it('is not hurried while it waits for the user', () => {
    backend.run = { ...backend.run, waitsFor: ['q1'] };
    expect(show(60_000)).toBe('Working');
  });
});
