import { act, render } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { t } from '../../i18n';
import { Weft, WeftContext } from '../../state/weft';
import type { Space } from '../../transport/api';
import { CommandError, type Transport } from '../../transport/transport';
import { Shell } from './Shell';

const drawn = vi.hoisted(() => vi.fn<(what: string) => void>());
const noting = vi.hoisted(() => (what: string) => () => {
  drawn(what);
  return null;
});
vi.mock('../sidebar/Sidebar', () => ({ Sidebar: noting('sidebar') }));
vi.mock('../spaces/SpaceView', () => ({ SpaceView: noting('space') }));
vi.mock('./Banners', () => ({ Banners: noting('banners') }));
vi.mock('./later', () => ({ loadRest: () => {}, useRest: () => null }));

beforeEach(() => {
  window.matchMedia = (() => ({ matches: false, addEventListener() {}, removeEventListener() {} })) as never;
});

const space = (id: string, change: Partial<Space> = {}) =>
  ({ id, title: id, state: 'running', lastActivity: 1, members: [], ...change }) as unknown as Space;

it('is not drawn again when a space changes, and says in its title that one waits', () => {
  const weft = new Weft({ kind: 'serve', call: () => new Promise(() => {}) } as unknown as Transport);
  weft.server.set({ status: 'ready', spaces: [space('one'), space('two')] });
  weft.shown.set({ screen: 'space', selected: 'one' });
  render(
    <WeftContext value={weft}>
      <Shell />
    </WeftContext>,
  );
  expect(drawn.mock.calls.flat().toSorted()).toEqual(['banners', 'sidebar', 'space']);
  drawn.mockClear();
  const before = document.title;
  for (let i = 2; i < 12; i++) {
    act(() => weft.server.set({ spaces: [space('one'), space('two', { lastActivity: i })] }));
  }
  act(() => weft.server.set({ spaces: [space('one'), space('two', { state: 'waiting' })] }));
  expect(drawn).not.toHaveBeenCalled();
  expect(document.title).not.toBe(before);
});

it('names the space in the title of the window', () => {
  const titles: string[] = [];
  window.runtime = { EventsOn: vi.fn(), WindowSetTitle: vi.fn((title: string) => titles.push(title)) };
  const { weft } = windowOf(() => new Promise(() => {}));
  act(() => weft.server.set({ status: 'ready', spaces: [space('Apples'), space('Pears')] }));
  act(() => weft.select('Apples'));
  act(() => weft.select('Pears'));
  act(() => weft.server.set({ spaces: [space('Apples', { state: 'waiting' }), space('Pears')] }));
  act(() => weft.show('settings'));
  delete window.runtime;
  expect(titles.slice(-4)).toEqual([
    ...['Apples · Weft', 'Pears · Weft', '◆ Needs your answer · Pears · Weft', '◆ Needs your answer · Weft'],
  ]);
});

/** A window in which everything is loaded. */
function windowOf(call: (command: string, request?: unknown) => Promise<unknown>, kind = 'window') {
  const weft = new Weft({ kind, call } as unknown as Transport);
  const view = render(
    <WeftContext value={weft}>
      <Shell />
    </WeftContext>,
  );
  return { weft, view };
}

it('tells its program the words of each language that it shows, once each', async () => {
  const told: unknown[] = [];
  const { weft } = windowOf((command, request) => {
    if (command === 'SetWords') told.push(request);
    return Promise.reject(new Error('not now'));
  });
  expect(told).toEqual([]);
  act(() => weft.server.set({ status: 'ready' }));
  expect(told).toEqual([expect.objectContaining({ quitWeft: 'Quit Weft', chooseFolder: 'Choose a folder' })]);
  const german = { ...weft.server.get().appearance, language: 'de' as const };
  await act(async () => {
    weft.server.set({ appearance: german });
    await vi.waitFor(() => expect(told).toHaveLength(2));
  });
  expect(told[1]).toMatchObject({ quitWeft: 'Weft beenden', chooseFolder: 'Ordner auswählen' });
  for (const words of told) for (const text of Object.values(words as object)) expect(text).not.toBe('');
  await act(async () => {
    weft.server.set({ appearance: { ...german, language: 'en' } });
    await vi.waitFor(() => expect(told).toHaveLength(3));
  });
  expect(told[2]).toEqual(told[0]);
});

it('has nobody to tell words in a browser', () => {
  const call = vi.fn(() => new Promise(() => {}));
  const { weft } = windowOf(call, 'serve');
  act(() => weft.server.set({ status: 'ready' }));
  expect(call).not.toHaveBeenCalledWith('SetWords', expect.anything());
});

it('says why Weft could not start, and does not offer to try again', () => {
  const { weft, view } = windowOf(() => new Promise(() => {}));
  const fail = (code: string) =>
    act(() =>
      weft.server.set({ status: 'failed', error: new CommandError(code, 'It is newer.', 'the detail') }),
    );
  fail('io');
  expect(view.getByRole('button')).toBeDefined();
  expect(view.getByRole('alert').textContent).not.toContain('the detail');
  fail('not_started');
  expect(view.queryByRole('button')).toBeNull();
  expect(view.getByRole('alert').textContent).toBe(
    `${t('start.failed')}It is newer.the detail${t('start.notStarted')}`,
  );
});
