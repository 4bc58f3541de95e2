import { act, render } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { Weft, WeftContext } from '../../state/weft';
import type { Space } from '../../transport/api';
import type { Transport } from '../../transport/transport';
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
