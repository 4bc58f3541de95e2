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

describe('the first screen', () => {
  const snapshot = (id: string) => ({
    ...{ space: space({ id }), epoch: 3, seq: 7, run: null, runs: [], state: {} },
    page: { messages: [], hasBefore: false, hasAfter: false, epoch: 3, seq: 7 },
  });

  /** A page that showed a space when it was closed, and what it asks for. */
  async function started(selected: string, opened: unknown) {
    // Tests of other files in this window may have gone elsewhere.
    window.history.replaceState(null, '', '/');
    localStorage.setItem('weft.window', JSON.stringify({ selected }));
    const asked: string[] = [];
    const watched: unknown[] = [];
    const answers: Record<string, unknown> = { Bootstrap: { ...boot([space({})]), opened } };
    const weft = new Weft({
      kind: 'window',
      call: async (command: string, request: unknown) => {
        asked.push(`${command} ${JSON.stringify(request)}`);
        return answers[command] ?? snapshot('s1');
      },
      onConnection: () => {},
      watchApp: () => {},
      watch: (_: string, place: () => unknown) => {
        watched.push(place());
        return () => {};
      },
    } as unknown as Transport);
    weft.start();
    await vi.waitFor(() => expect(weft.server.get().status).toBe('ready'));
    return { weft, asked, watched };
  }

  it('is there after one command, with the space that was shown last', async () => {
    const { weft, asked, watched } = await started('s1', snapshot('s1'));
    const session = weft.session('s1');
    session.watch();
    expect(session.store.get().status).toBe('ready');
    expect(watched).toEqual([{ epoch: 3, seq: 7 }]);
    expect(asked).toEqual(['Bootstrap {"spaceId":"s1"}']);
    await weft.load();
    expect(asked.at(-1)).toBe('Bootstrap {"spaceId":""}');
  });

  it('opens the next space itself if that one is gone', async () => {
    const { weft, asked } = await started('s9', null);
    expect(weft.shown.get().selected).toBe('s1');
    weft.session('s1').watch();
    expect(asked).toEqual(['Bootstrap {"spaceId":"s9"}', 'OpenSpace {"spaceId":"s1"}']);
  });
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
