import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { Weft } from '../../support/weft';
import { missing, Window } from '../window';

test.skip(
  missing('xdotool').length > 0,
  'The window was not tested without its desktop: see window.spec.ts.',
);

/** What the next start knows of the window. */
const kept = async (weft: Weft) =>
  JSON.parse(await readFile(join(weft.data, 'window.json'), 'utf8').catch(() => 'null')) as unknown;

test('the window comes up where it was, and as large', async () => {
  const weft = await Weft.create();
  const place = { x: 120, y: 40, width: 900, height: 640 };
  try {
    const window = await Window.openOn('1920x1080', weft);
    try {
      await expect.poll(() => window.place()).toEqual({ x: 320, y: 124, width: 1280, height: 832 });
      window.putAt(place);
      await expect.poll(() => window.place()).toEqual(place);
      await expect
        .poll(() => window.inspector.page.evaluate('[innerWidth, innerHeight]'))
        .toEqual([900, 640]);
      await window.pressClose();
      await window.ended();
    } finally {
      await window.dispose();
    }
    expect(await kept(weft)).toEqual(place);
    const again = await Window.openOn('1920x1080', weft);
    try {
      await expect.poll(() => again.place()).toEqual(place);
      await again.close(); // by the session
    } finally {
      await again.dispose();
    }
    expect(await kept(weft)).toEqual(place);
  } finally {
    await weft.dispose();
  }
});

const others = {
  'on a screen that is gone': [
    { x: 3000, y: -900, width: 900, height: 640 },
    { x: 380, y: 0, width: 900, height: 640 },
  ],
  'larger than the screen': [
    { x: 40, y: 90, width: 2500, height: 1400 },
    { x: 0, y: 48, width: 1280, height: 752 },
  ],
  'smaller than a window can be': [
    { x: 40, y: 90, width: 10, height: 10 },
    { x: 40, y: 90, width: 480, height: 420 },
  ],
  // The desktop of this screen maximizes nothing, so what is seen is where the window is when it is no longer maximized.
  'only known as maximized': [
    { x: 0, y: 0, width: 1280, height: 700, maximized: true, middle: true },
    { x: 0, y: 50, width: 1280, height: 700 },
  ],
  nonsense: [{ width: 'wide' }, { x: 0, y: 24, width: 1280, height: 752 }],
} as const;

for (const [name, [was, place]] of Object.entries(others))
  test(`the window fits when its last place is ${name}`, async () => {
    const weft = await Weft.create();
    await mkdir(weft.data, { recursive: true });
    await writeFile(join(weft.data, 'window.json'), JSON.stringify(was));
    const window = await Window.open(weft);
    try {
      await expect.poll(() => window.place()).toEqual(place);
    } finally {
      await window.dispose();
      await weft.dispose();
    }
  });
