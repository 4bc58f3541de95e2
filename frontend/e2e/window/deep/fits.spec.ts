import { expect, test } from '@playwright/test';
import { Weft } from '../../support/weft';
import { openOnDesk } from '../desk';
import { missing, Window } from '../window';

test.skip(
  missing('dbus-daemon', 'xdotool', 'go').length > 0,
  'The window was not tested without its desktop: see window.spec.ts.',
);

const screens = [
  { size: '1920x1080', width: 1280, height: 832, x: 320, y: 124 },
  { size: '1366x768', width: 1280, height: 720, x: 43, y: 24 },
  { size: '1280x800', width: 1280, height: 752, x: 0, y: 24 },
  { size: '1024x600', width: 1024, height: 552, x: 0, y: 24 },
];

for (const { size, ...place } of screens)
  test(`all of the window is on a screen of ${size}`, async () => {
    const weft = await Weft.create();
    const window = await Window.openOn(size, weft);
    try {
      await expect.poll(() => window.place()).toEqual(place);
      const inner = () => window.inspector.page.evaluate('[innerWidth, innerHeight]');
      await expect.poll(inner).toEqual([place.width, place.height]);
    } finally {
      await window.dispose();
      await weft.dispose();
    }
  });

test('a window that is shown later fits, too', async () => {
  const weft = await Weft.create();
  const wishes = { panel: true, flags: ['--background'], screen: '1366x768' };
  const { bus, window, clear } = await openOnDesk(weft, wishes);
  try {
    await bus.next(({ icon }) => icon !== undefined);
    expect(window.visible()).toBe(false);
    bus.act('activate');
    await expect.poll(() => window.visible()).toBe(true);
    await expect.poll(() => window.place()).toEqual({ x: 43, y: 24, width: 1280, height: 720 });
  } finally {
    await clear();
  }
});
