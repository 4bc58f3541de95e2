import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Message, Run, ToolCall, ToolGroup } from '../../transcript/model';
import { Silence, Working } from './Working';

const backend = vi.hoisted(() => ({
  progress: {} as Record<string, unknown>,
  run: {} as Partial<Run>,
  message: {} as Partial<Message>,
  answeredAt: 0,
  panels: [] as string[],
  stopped: [] as string[],
}));

vi.mock('../../queries/runs', () => ({
  quietLimit: 15_000,
  useRunProgress: () => ({ data: backend.progress, dataUpdatedAt: backend.answeredAt }),
}));
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
  useReading: () => ({
    session: {
      spaceId: 's1',
      store: {
        conversation: {
          runs: [backend.run],
          messages: [backend.message],
        },
      },
    },
  }),
}));

const begun = 1_000_000_000_000;

beforeEach(() => {
  vi.useFakeTimers({ now: begun });
  backend.run = { id: 'r1', startedAt: begun, stopping: false, waitsFor: [], waitIntervals: [] };
  backend.progress = { phase: 'working', sentAt: begun, workedAt: 0, seen: '', seenAt: 0 };
  backend.message = { id: 'm1', segments: [] };
  backend.panels = [];
  backend.stopped = [];
});
afterEach(() => void vi.useRealTimers());

const message = { id: 'm1', runId: 'r1', createdAt: begun, author: { name: 'Claude' } } as Message;
const show = (ms: number, Shown: typeof Silence = Working) => {
  const { container } = render(<Shown message={message} />);
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

describe('an agent that has written something', () => {
  const wrote = (at: number) => {
    backend.progress = { ...backend.progress, workedAt: at, seen: 'work', seenAt: at };
  };

  it('needs no word while it goes on', () => {
    wrote(begun + 20_000);
    expect(show(34_000, Silence)).toBe('');
  });

  it('is told of after 15 s without a sign of life, with what can be done', () => {
    wrote(begun + 5000);
    expect(show(20_000, Silence)).toBe('Working for 20 sLast output 15 s ago.StopProtocol log');
    fireEvent.click(screen.getByRole('button', { name: 'Stop' }));
    fireEvent.click(screen.getByRole('button', { name: 'Protocol log' }));
    expect(backend.stopped).toEqual(['s1 r1']);
    expect(backend.panels).toEqual(['log']);
  });

  it('is told of although it describes its session meanwhile', () => {
    wrote(begun);
    backend.progress = { ...backend.progress, seen: 'description', seenAt: begun + 29_000 };
    expect(show(30_000, Silence)).toContain('Last received: session information, 1 s ago.');
  });

  it('is not told of before it is known what came last', () => {
    backend.progress = undefined as never;
    expect(show(60_000, Silence)).toBe('');
  });

  it('is not told of while the user is asked', () => {
    backend.run = { ...backend.run, waitsFor: ['q1'] };
    expect(show(60_000, Silence)).toBe('');
  });

  it('is no longer told of as soon as something comes, and again where that was nothing', () => {
    const { container } = render(<Silence message={message} />);
    act(() => void vi.advanceTimersByTime(20_000));
    backend.message = { ...backend.message };
    act(() => void vi.advanceTimersByTime(1000));
    expect(container.textContent).toBe('');
    backend.answeredAt++;
    act(() => void vi.advanceTimersByTime(1000));
    expect(container.textContent).not.toBe('');
  });

  it.each([
    ['a call that runs, and shows since when', { status: 'running' }, false],
    ['a call that runs, and is hidden', { status: 'running', visibility: 'hidden' }, true],
    ['a call that has ended', { status: 'completed' }, true],
    ['a call that has not begun', { status: 'pending' }, true],
  ] as const)('beside %s', (_, call, told) => {
    const items = [{ type: 'tool_call', ...call }] as unknown as ToolCall[];
    backend.message = { id: 'm1', segments: [{ type: 'tool-group', items } as unknown as ToolGroup] };
    expect(show(60_000, Silence) !== '').toBe(told);
  });
});
