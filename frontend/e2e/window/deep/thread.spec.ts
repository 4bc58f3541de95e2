import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { Weft } from '../../support/weft';
import { missing, Window } from '../window';

// WebKitGTK 2.54 aborts before there is a window if its first object isn't made on the main thread of the process.

const absent = missing('cc');
test.skip(
  absent.length > 0,
  `The thread of the window was not tested: ${absent.join(' and ')} is not installed.`,
);

const starts = 20;

test('makes the first object of WebKit on the main thread', async () => {
  test.setTimeout(starts * 30_000);
  const weft = await Weft.create();
  const library = join(weft.folder, 'mainthread.so');
  const threads = join(weft.folder, 'threads');
  execFileSync('cc', [
    '-shared',
    '-fPIC',
    '-o',
    library,
    join(import.meta.dirname, '../mainthread.c'),
    '-ldl',
  ]);
  try {
    for (let n = 0; n < starts; n++) {
      const window = await Window.open(weft, { LD_PRELOAD: library, THREADS: threads });
      try {
        await window.close();
      } finally {
        await window.dispose();
      }
    }
    expect((await readFile(threads, 'utf8')).trim().split('\n')).toEqual(new Array(starts).fill('main'));
  } finally {
    await weft.dispose();
  }
});
