import { renderHook } from '@testing-library/react';
import { beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import * as notify from '../../state/notify';
import { Store } from '../../state/store';
import { type Weft, WeftContext } from '../../state/weft';
import type { Install } from '../../transport/api';
import { useInstallNotices } from './useInstallNotices';

// Test files share modules, so the one with the notifications may be loaded already: spy on it instead of replacing it.
let say: MockInstance, showFailure: MockInstance, showWithAction: MockInstance;
beforeEach(() => {
  say = vi.spyOn(notify, 'say').mockReturnValue();
  showFailure = vi.spyOn(notify, 'showFailure').mockReturnValue();
  showWithAction = vi.spyOn(notify, 'showWithAction').mockReturnValue();
});

const install = (state: Install['state'], change: Partial<Install> = {}): Install => ({
  ...{ id: 'robin', name: 'Robin', version: '1.0.0', update: false, state, step: '', done: 0, total: 0 },
  ...{ line: '', startedAt: 1, sha256: '', vouched: false, agentId: '', failure: null, question: null },
  ...change,
});

/** Sets several states within one frame, like events that arrive together. */
function tell(screen: 'space' | 'registry', ...states: Install[]) {
  const server = new Store({ installs: [] as readonly Install[] });
  const weft = { server, shown: new Store({ screen }) } as unknown as Weft;
  renderHook(useInstallNotices, {
    wrapper: ({ children }) => <WeftContext value={weft}>{children}</WeftContext>,
  });
  for (const state of states) server.set({ installs: [state] });
}

it('tells the end of an installation that began and ended between two frames', () => {
  tell('space', install('running'), install('done'));
  expect(say).toHaveBeenCalledExactlyOnceWith('Robin 1.0.0 is installed.');
});

it('tells why an installation failed', () => {
  tell(
    'space',
    install('running'),
    install('failed', { failure: { code: 'network', message: 'No answer.', detail: '' } }),
  );
  expect(showFailure).toHaveBeenCalledExactlyOnceWith(
    "Couldn't install Robin 1.0.0",
    expect.objectContaining({ code: 'network' }),
  );
});

it('tells a question once, and nothing of what was called off', () => {
  tell(
    'space',
    install('running'),
    install('asking'),
    install('asking', { line: 'more' }),
    install('cancelled'),
  );
  expect(showWithAction).toHaveBeenCalledOnce();
  expect(say).not.toHaveBeenCalled();
  expect(showFailure).not.toHaveBeenCalled();
});

it('says nothing of what ended before, nor where the registry is on screen', () => {
  tell('space', install('done'), install('done', { line: 'more' }));
  tell('registry', install('running'), install('done'));
  expect(say).not.toHaveBeenCalled();
});
