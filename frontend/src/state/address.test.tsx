import { beforeEach, expect, it } from 'vitest';
import type { Transport } from '../transport/transport';
import { followAddress } from './address';
import { Weft } from './weft';

const open = () => {
  const weft = new Weft({ kind: 'serve' } as unknown as Transport);
  followAddress(weft);
  return weft;
};
/** As when the user changes the address, or goes back. */
const goTo = (hash: string) => {
  window.history.replaceState(null, '', window.location.pathname + hash);
  window.dispatchEvent(new HashChangeEvent('hashchange'));
};

beforeEach(() => window.history.replaceState(null, '', '/'));

it('opens the section of the address at the start', () => {
  window.history.replaceState(null, '', '/#settings/mcp');
  expect(open().shown.get()).toMatchObject({ screen: 'settings', settings: { section: 'mcp' } });
});

it('has the address of the section that is open, and none outside of the settings', () => {
  const weft = open();
  weft.showSettings('permissions');
  expect(window.location.hash).toBe('#settings/permissions');
  weft.leaveSettings();
  expect(window.location.hash).toBe('');
  weft.show('settings');
  expect(window.location.hash).toBe('#settings/permissions');
});

it('follows the address', () => {
  const weft = open();
  goTo('#settings/secrets');
  expect(weft.shown.get()).toMatchObject({ screen: 'settings', settings: { section: 'secrets' } });
  goTo('#settings/nowhere');
  expect(weft.shown.get().settings.section).toBe('secrets');
  expect(window.location.hash).toBe('#settings/secrets');
  goTo('');
  expect(weft.shown.get().screen).toBe('new');
});

it('leads back to the screen that the settings were opened from, past the list of agents', () => {
  const weft = open();
  weft.show('new');
  weft.show('settings');
  weft.show('registry');
  weft.showAgent('robin');
  expect(weft.shown.get().settings).toMatchObject({ section: 'agents', at: { row: 'agent-robin' } });
  weft.leaveSettings();
  expect(weft.shown.get().screen).toBe('new');
});

it('leaves an address alone that is none of the settings', () => {
  window.history.replaceState(null, '', '/#token=abc');
  const weft = open();
  weft.show('new');
  expect(window.location.hash).toBe('#token=abc');
});
