import { expect, test } from '@playwright/test';
import { Weft } from '../../support/weft';
import { missing, Window } from '../window';

test.skip(
  missing('xdotool').length > 0,
  'The window was not tested without its desktop: see window.spec.ts.',
);

test('a start that fails says why in a window, where no terminal is read', async () => {
  const weft = await Weft.create();
  try {
    await weft.start();
    const window = await Window.openOn('1280x800', weft);
    try {
      await expect
        .poll(() => window.inspector.page.evaluate<string>('document.body.innerText'))
        .toContain(`Weft is already running for a browser, at ${weft.url}`);
      await window.pressClose();
      await window.ended(1);
    } finally {
      await window.dispose();
    }
  } finally {
    await weft.dispose();
  }
});
