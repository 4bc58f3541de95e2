import { expect, it } from 'vitest';
import type { Transport } from '../transport/transport';
import { Weft } from './weft';

it('leads out of the inbox and the settings, whichever was opened from which', () => {
  const weft = new Weft({ kind: 'serve', call: async () => null } as unknown as Transport);
  weft.select('s1');
  const screen = () => weft.shown.get().screen;
  weft.showInbox(null, false);
  weft.showSettings();
  weft.showInbox(null, false);
  expect(screen()).toBe('inbox');
  weft.leaveInbox();
  expect(screen()).toBe('space');

  weft.showSettings();
  weft.showInbox(null, false);
  weft.showSettings();
  weft.leaveSettings();
  expect(screen()).toBe('space');

  weft.showSettings();
  weft.showInbox(null, false);
  weft.leaveInbox();
  expect(screen()).toBe('settings');
});
