import { describe, expect, it, vi } from 'vitest';
import { keys } from '../cache/keys';
import { importConversations } from '../commands/imports';
import { renameSpace } from '../commands/spaces';
import type { AppEvent, ImportJob, Space } from '../transport/api';
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

const space = (change: Partial<Space>): Space =>
  ({ ...{ id: 's1', title: 'Pears', state: 'idle', lastActivity: 1, waits: [] }, ...change }) as Space;

/** A backend that answers when it is told to. */
function backend() {
  const open: ((answer: unknown) => void)[] = [];
  let watcher: { events: (events: AppEvent[]) => void } | undefined;
  const transport = {
    kind: 'serve',
    call: () => new Promise((resolve) => open.push(resolve)),
    onConnection: () => {},
    watchApp: (watch: typeof watcher) => {
      watcher = watch;
    },
  } as unknown as Transport;
  const weft = new Weft(transport);
  const answers = async (answer: unknown) => {
    open.shift()?.(answer);
    for (let i = 0; i < 10; i++) await Promise.resolve();
  };
  return { weft, answers, tells: (...events: AppEvent[]) => watcher?.events(events) };
}

const boot = (spaces: readonly Space[]) => ({
  ...{
    spaces,
    spacesUntil: 0,
    order: {},
    agents: [],
    appearance: {},
    problems: [],
    toolCalls: { rules: [] },
  },
  ...{ drafts: [] },
});

describe('an answer and an event that cross', () => {
  it('leaves what an event has told of a space since the command was sent', async () => {
    const { weft, answers, tells } = backend();
    weft.start();
    await answers(boot([space({})]));
    const titles = () => weft.server.get().spaces.map(({ title, state }) => `${title} ${state}`);
    expect(titles()).toEqual(['Pears idle']);

    void renameSpace(weft, 's1', 'Apples');
    tells({ type: 'space', space: space({ title: 'Apples', state: 'running' }) });
    await answers(space({ title: 'Apples', state: 'idle' }));
    await vi.waitFor(() => expect(titles()).toEqual(['Apples running']));

    void renameSpace(weft, 's1', 'Plums');
    await answers(space({ title: 'Plums', state: 'running' }));
    expect(titles()).toEqual(['Plums running']);
  });

  it('reads an import again that was told to be over before the command was answered', async () => {
    const { weft, answers, tells } = backend();
    weft.start();
    await answers(boot([]));
    weft.queries.setQueryData(keys.importJob, { running: false });
    void importConversations(weft, { programs: [] });
    tells({ type: 'imports', import: { running: false } as ImportJob });
    await answers({ running: true });
    expect(weft.queries.getQueryData(keys.importJob)).toEqual({ running: false });
    expect(weft.queries.getQueryState(keys.importJob)?.isInvalidated).toBe(true);

    void importConversations(weft, { programs: [] });
    await answers({ running: true });
    expect(weft.queries.getQueryData(keys.importJob)).toEqual({ running: true });
  });

  it('takes over again what was told while everything was read', async () => {
    const { weft, answers, tells } = backend();
    weft.start();
    tells({ type: 'space', space: space({ title: 'Newer' }) }, { type: 'space_removed', spaceId: 's2' });
    await answers(boot([space({ title: 'Older' }), space({ id: 's2', title: 'Gone' })]));
    expect(weft.server.get().spaces.map(({ title }) => title)).toEqual(['Newer']);
  });
});
