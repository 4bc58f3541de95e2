import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { childrenOf } from '../../support/processes';
import { Screen } from '../../support/screen';
import { Weft } from '../../support/weft';
import { missing, Window } from '../window';

// A window that stays empty, although its page has drawn everything: a driver that hands no pictures over.

const absent = missing('cc');
test.skip(absent.length > 0, `Empty windows were not tested: ${absent.join(' and ')} is not installed.`);

/** The driver, for the environment of a window. */
function driver(weft: Weft, helps: 'yes' | 'no'): Record<string, string> {
  const library = join(weft.folder, 'emptywindow.so');
  execFileSync('cc', [
    '-shared',
    '-fPIC',
    '-o',
    library,
    join(import.meta.dirname, '../emptywindow.c'),
    '-ldl',
  ]);
  return { LD_PRELOAD: library, HELPS: helps };
}

const remembered = async (weft: Weft) =>
  JSON.parse(await readFile(join(weft.data, 'renderer.json'), 'utf8').catch(() => '{}')) as {
    machine?: string;
    withoutDMABUF?: string;
  };

test('starts again without DMABUF when the window stays empty, and remembers it', async () => {
  const weft = await Weft.create();
  const environment = driver(weft, 'yes');
  let window = await Window.open(weft, environment);
  try {
    await expect(window.inspector.page.getByRole('heading', { name: 'Welcome to Weft' })).toBeVisible();
    expect(await window.colors()).toBeLessThan(10);
    await window.restarted(2);
    await expect.poll(() => window.colors()).toBeGreaterThan(200);
    const ui = new Screen(window.inspector.page);
    await expect(window.inspector.page.getByRole('heading', { name: 'Welcome to Weft' })).toBeVisible();
    await ui.picture('window-after-empty');
    await expect.poll(async () => (await remembered(weft)).withoutDMABUF).toBe('helps');
    expect(await readFile(join(weft.data, 'logs/weft.log'), 'utf8')).toContain(
      'WEBKIT_DISABLE_DMABUF_RENDERER=1',
    );
    await window.close();

    // The next start is drawn at once.
    window = await Window.open(weft, environment);
    await expect.poll(() => window.colors()).toBeGreaterThan(200);
    expect(await window.starts()).toBe(3);
    await window.close();
  } finally {
    await window.dispose();
    await weft.dispose();
  }
});

test('starts again only once where that does not help', async () => {
  const weft = await Weft.create();
  const environment = driver(weft, 'no');
  let window = await Window.open(weft, environment);
  try {
    await window.restarted(2);
    await expect.poll(async () => (await remembered(weft)).withoutDMABUF).toBe('useless');
    expect(await window.starts()).toBe(2);
    await window.close();
    window = await Window.open(weft, environment);
    await expect(window.inspector.page.getByRole('heading', { name: 'Welcome to Weft' })).toBeVisible();
    expect((await remembered(weft)).withoutDMABUF).toBe('useless');
    expect(await window.starts()).toBe(3);
    await window.close();
  } finally {
    await window.dispose();
    await weft.dispose();
  }
});

test('waits for a slow machine', async () => {
  const weft = await Weft.create();
  const window = await Window.open(weft, { ...driver(weft, 'no') });
  try {
    // The page is held before Weft has decided: nothing runs, as on a machine that does something else for twenty seconds.
    const [web] = await childrenOf(window.pid, 'WebKitWeb');
    if (web === undefined) throw new Error('The window has no page.');
    process.kill(web, 'SIGSTOP');
    await pause(20_000);
    process.kill(web, 'SIGCONT');
    // That a start has begun is kept, and nothing of what it showed.
    expect((await remembered(weft)).withoutDMABUF).toBe('');
    expect(await window.starts()).toBe(1);
    // Once it has nothing more to do, it is empty.
    await window.restarted(2);
    await window.close();
  } finally {
    await window.dispose();
    await weft.dispose();
  }
});
