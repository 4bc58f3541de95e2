import { render } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import type { Message } from '../../transcript/model';
import { RunFooter } from './RunFooter';

const backend = vi.hoisted(() => ({ summary: {} as { data?: unknown; isPending: boolean } }));

vi.mock('../../queries/runs', () => ({ useRunSummary: () => backend.summary }));
vi.mock('../../state/weft', () => ({ useWeft: () => ({}) }));
vi.mock('./reading', () => ({ useReading: () => ({ session: { spaceId: 's1' } }) }));

const message = {
  id: 'm1',
  runId: 'r1',
  createdAt: 0,
  endedAt: 65_000,
  usage: { totalTokens: 120 },
} as unknown as Message;
const shown = (summary: { data?: unknown; isPending: boolean }) => {
  backend.summary = summary;
  return render(<RunFooter message={message} />).container.textContent?.replaceAll('\u202f', ' ');
};

describe('the duration of a turn', () => {
  it('is not told before it is known how long it waited for the user', () => {
    expect(shown({ isPending: true })).toBe('120 tokens');
  });

  it('is without that', () => {
    const data = { files: 0, commands: 0, failed: 0, commandsFailed: 0, waitedMs: 60_000 };
    expect(shown({ data, isPending: false })).toBe('120 tokens5.0 s');
  });

  it('is the whole of it where nobody knows', () => {
    expect(shown({ isPending: false })).toBe('120 tokens1 min 5 s');
  });
});
