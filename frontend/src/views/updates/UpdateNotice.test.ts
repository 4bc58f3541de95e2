import { expect, it } from 'vitest';
import type { UpdateState } from '../../transport/api';
import { notice } from './UpdateNotice';

const available = {
  version: '1.5.0',
  date: 1,
  notes: '',
  size: 1,
  url: 'https://example.org/a',
  command: '',
};

const state = (change: Partial<UpdateState>): UpdateState => ({
  ...{
    version: '1.4.0',
    checks: 'daily',
    how: 'archive',
    replaces: true,
    host: 'example.org',
    checkedAt: 1,
    phase: 'idle',
  },
  ...{ available: null, notice: false, ready: '', canRestart: true, done: 0, error: '', outcome: null },
  ...change,
});

it.each<[string, Partial<UpdateState>, string | null]>([
  ['nothing new', {}, null],
  ['a check that failed by itself', { error: 'example.org cannot be reached.' }, null],
  ['a check in progress', { phase: 'checking' }, null],
  ['a build without updates', { checks: 'none' }, null],
  ['a user who said no', { checks: 'off' }, null],
  ['a first start', { checks: 'ask' }, 'Check for new versions of Weft each day?'],
  ['a newer version', { available, notice: true }, 'Weft 1.5.0 is available.'],
  ['a newer version that was postponed', { available, notice: false }, null],
  ['a download', { available, notice: true, phase: 'downloading' }, 'Downloading Weft 1.5.0…'],
  [
    'one that is ready',
    { phase: 'ready', ready: '1.5.0' },
    'Weft 1.5.0 is ready. Restart to finish the update.',
  ],
  [
    'one that is ready where Weft cannot restart',
    { phase: 'ready', ready: '1.5.0', canRestart: false },
    'Weft 1.5.0 is ready. It is installed the next time Weft starts.',
  ],
  ['turns that run', { phase: 'waiting' }, 'Weft restarts when the agents have finished their turns.'],
  [
    'an update that was installed',
    { outcome: { from: '1.4.0', to: '1.5.0', failed: false, why: '' } },
    'Weft was updated from 1.4.0 to 1.5.0.',
  ],
  [
    'an update that was taken back, whatever else there is',
    {
      checks: 'ask',
      available,
      notice: true,
      outcome: { from: '1.4.0', to: '1.5.0', failed: true, why: 'It did not start.' },
    },
    'It did not start.',
  ],
])('%s is noticed as it should be', (_, change, text) => {
  expect(notice(state(change))?.text ?? null).toBe(text);
});
