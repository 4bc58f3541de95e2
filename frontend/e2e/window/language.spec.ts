import { expect, test } from '@playwright/test';
import { Weft } from '../support/weft';
import { missing, Window } from './window';

test.skip(missing().length > 0, 'The window was not tested: see window.spec.ts.');

test('the window speaks the language of the environment, also without a locale of it', async () => {
  const weft = await Weft.create();
  const window = await Window.open(weft, { LANG: 'de_AT.UTF-8', LANGUAGE: '' });
  try {
    const { page } = window.inspector;
    await expect(page.locator('html')).toHaveAttribute('lang', 'de');
    await expect(page.getByRole('button', { name: 'Einstellungen', exact: true })).toBeVisible();
    await expect(page.locator('html')).toHaveAttribute('data-system', 'de-AT');
    await window.close();
  } finally {
    await window.dispose();
    await weft.dispose();
  }
});
