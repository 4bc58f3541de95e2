import { afterEach, describe, expect, it, vi } from 'vitest';
import { keys } from '../cache/keys';
import { importConversations } from '../commands/imports';
import { branchSpace, createSpace, importSession, renameSpace, restoreSpace } from '../commands/spaces';
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

/** A backend that responds when told to. */
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

describe('a space that a command makes', () => {
  const commands = {
    createSpace: (weft: Weft) => createSpace(weft, 'guide', '/orchard'),
    branchSpace: (weft: Weft) => branchSpace(weft, { spaceId: 's1' }),
    importSession: (weft: Weft) =>
      importSession(weft, { agentId: 'guide', sessionId: 'x', folder: '/orchard', title: '' }),
    restoreSpace: (weft: Weft) => restoreSpace(weft, space({ id: 'made' })),
  };
  const ways: [string, (weft: Weft) => void, { screen: string; selected: string | null }][] = [
    ['the settings', (weft) => weft.show('settings'), { screen: 'settings', selected: 's1' }],
    ['the inbox', (weft) => weft.showInbox(null, false), { screen: 'inbox', selected: 's1' }],
    ['the search', (weft) => weft.showSearch('pears'), { screen: 'search', selected: 's1' }],
    ['another space', (weft) => weft.select('s2'), { screen: 'space', selected: 's2' }],
    ['a message elsewhere', (weft) => weft.goTo('s2', 'm1'), { screen: 'space', selected: 's2' }],
  ];
  /** A user at the new-space form or in a space. */
  const begun = (screen: 'new' | 'space') => {
    const { weft, answers } = backend();
    weft.server.set({ spaces: [space({}), space({ id: 's2' })] });
    weft.select('s1');
    if (screen === 'new') weft.show('new');
    return { weft, answers };
  };
  const shown = (weft: Weft) => {
    const { screen, selected } = weft.shown.get();
    return { screen, selected };
  };

  for (const [name, command] of Object.entries(commands)) {
    const from = name === 'createSpace' ? 'new' : 'space';
    for (const [where, go, expected] of ways)
      it(`stays in the list where the user has gone to ${where} since (${name})`, async () => {
        const { weft, answers } = begun(from);
        const made = command(weft);
        go(weft);
        await answers(space({ id: 'made' }));
        await made;
        expect(shown(weft)).toEqual(expected);
        expect(weft.server.get().spaces.map(({ id }) => id)).toContain('made');
      });

    it(`is shown to a user who waits for it (${name})`, async () => {
      const { weft, answers } = begun(from);
      const made = command(weft);
      await answers(space({ id: 'made' }));
      await made;
      expect(shown(weft)).toEqual({ screen: 'space', selected: 'made' });
    });
  }

  it('is shown where only the space behind the form has gone', async () => {
    const { weft, answers } = begun('new');
    const made = commands.createSpace(weft);
    weft.drop('s1');
    await answers(space({ id: 'made' }));
    await made;
    expect(shown(weft)).toEqual({ screen: 'space', selected: 'made' });
  });
});

describe('a panel that lies over the conversation', () => {
  const panels = ['log', 'changes', 'branches', 'members', 'run', 'file', 'outline'] as const;
  const wide = ['changes', 'file', 'follow'];
  const goes: Record<string, (weft: Weft, to: string) => void> = {
    select: (weft, to) => weft.select(to),
    goTo: (weft, to) => weft.goTo(to, 'm1'),
    goBackTo: (weft, to) => weft.goBackTo(to, null, null),
  };
  const at = (width: number) => {
    window.matchMedia = ((query: string) => ({
      matches: width <= Number(/max-width: (\d+)px/.exec(query)?.[1]),
    })) as never;
  };
  afterEach(() => {
    Reflect.deleteProperty(window, 'matchMedia');
  });

  for (const width of [390, 720, 959, 960, 1099, 1100, 1440])
    for (const panel of [...panels, 'follow'] as const)
      for (const [name, go] of Object.entries(goes))
        it(`closes where it does, and stays beside it: ${panel}, ${width} px, ${name}`, () => {
          at(width);
          const { weft } = backend();
          weft.server.set({ spaces: [space({}), space({ id: 's2' })] });
          weft.select('s1');
          if (panel === 'follow') weft.toggleFollow('s1');
          else weft.openPanel(panel);
          const open = () => {
            const { panel, following } = weft.shown.get();
            return panel ?? following[0] ?? null;
          };
          go(weft, 's1');
          expect(open()).toBe(panel === 'follow' ? 's1' : panel);
          go(weft, 's2');
          const drawer = width <= (wide.includes(panel) ? 1099 : 959);
          expect(open() === null).toBe(drawer);
        });

  it('closes where the space that it was open in is deleted', () => {
    at(390);
    const { weft } = backend();
    weft.server.set({ spaces: [space({}), space({ id: 's2' })] });
    weft.select('s1');
    weft.openPanel('changes');
    weft.drop('s1');
    expect(weft.shown.get()).toMatchObject({ selected: 's2', panel: null });
  });
});

describe('the first screen', () => {
  const snapshot = (id: string) => ({
    ...{ space: space({ id }), epoch: 3, seq: 7, run: null, runs: [], state: {} },
    page: { messages: [], hasBefore: false, hasAfter: false, epoch: 3, seq: 7 },
  });

  /** A page that showed a space when it was closed, and the request it sends. */
  async function started(selected: string, opened: unknown) {
    // Other tests in this window may have changed the address.
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
