import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Transport } from '../transport/transport';
import { canGoBack, followAddress } from './address';
import { Weft } from './weft';

let stop = () => {};
const open = () => {
  const weft = new Weft({ kind: 'serve' } as unknown as Transport);
  stop = followAddress(weft);
  return weft;
};
afterEach(() => stop());
/** As when the user changes the address or goes back. */
const goTo = (hash: string) => {
  window.history.replaceState(null, '', window.location.pathname + hash);
  window.dispatchEvent(new HashChangeEvent('hashchange'));
};

beforeEach(() => {
  localStorage.clear();
  window.history.replaceState(null, '', '/');
});

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

const back = async () => {
  const went = new Promise((done) => window.addEventListener('popstate', done, { once: true }));
  window.history.back();
  await went;
};

it('has the address of the space and the place that are shown', () => {
  const weft = open();
  weft.select('s1');
  expect(window.location.hash).toBe('#/space/s1');
  weft.goTo('s2', { messageId: 'm', segment: 3, item: 1 });
  expect(window.location.hash).toBe('#/space/s2/m.3.1');
  weft.showSettings('mcp');
  expect(window.location.hash).toBe('#settings/mcp');
  weft.leaveSettings();
  expect(window.location.hash).toBe('#/space/s2/m.3.1');
  weft.select('s2');
  expect(window.location.hash).toBe('#/space/s2/m.3.1');
  weft.show('new');
  expect(window.location.hash).toBe('#/space/s2/m.3.1');
});

it('opens the space and the place of the address', () => {
  window.history.replaceState(null, '', '/#/space/s7/m.2');
  const weft = open();
  expect(weft.shown.get()).toMatchObject({
    screen: 'space',
    selected: 's7',
    wanted: { spaceId: 's7', place: { messageId: 'm', segment: 2, item: -1 } },
  });
  goTo('#/space/s8');
  expect(weft.shown.get()).toMatchObject({ selected: 's8', wanted: null });
  goTo('#/space/s8/m2');
  expect(weft.shown.get().wanted?.place.messageId).toBe('m2');
});

it('goes back to where the view was before a jump', async () => {
  const weft = open();
  weft.select('s1');
  const view = { place: { messageId: 'm4', segment: 2, item: -1 }, key: 'm4:2', within: 31 };
  weft.reading = { spaceId: 's1', view: () => view };
  weft.goTo('s2', 'm');
  expect(weft.shown.get()).toMatchObject({ selected: 's2', arrived: { messageId: 'm' } });
  expect(canGoBack()).toBe(true);
  await back();
  expect(weft.shown.get()).toMatchObject({ selected: 's1', wanted: { spaceId: 's1', view } });
  expect(window.location.hash).toBe('#/space/s1');
  expect(canGoBack()).toBe(false);
});
