import { accessible } from './support/axe';
import { expect, test } from './support/test';
import { themes } from './support/themes';

// Settings → About: the licenses of what others have made of Weft, as the build has collected them.

for (const theme of themes) {
  test.describe(`in the ${theme}`, () => {
    test.use({ colorScheme: theme });

    test('shows third-party notices when asked for, by keyboard alone', async ({ weft, page, ui }) => {
      const loaded: string[] = [];
      page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
      await weft.open(page);
      await ui.openSettings('About and data');
      const toggle = page.getByRole('button', { name: 'Show notices' });
      await expect(toggle).toBeVisible();
      expect(loaded).not.toContain('/notices.json');

      await toggle.focus();
      await page.keyboard.press('Enter');
      const count = page.getByText(/^\d+ components$/);
      await expect(count).toBeVisible();
      expect(loaded).toContain('/notices.json');
      // The programs, the frontend and its fonts are all in it.
      for (const name of [
        'modernc.org/sqlite',
        'Go standard library',
        'react-dom',
        '@fontsource-variable/inter',
      ])
        await expect(page.locator('.notice-name').getByText(name, { exact: true })).toBeVisible();
      await accessible(page, `notices in the ${theme}`, theme === 'light' ? 'all' : 'colours');

      await page.keyboard.press('Tab');
      await expect(page.getByRole('searchbox', { name: 'Filter by name or license' })).toBeFocused();
      await page.keyboard.type('inter ofl');
      await expect(page.getByText('1 component', { exact: true })).toBeVisible();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await expect(page.locator('.notice-text pre')).toContainText('SIL OPEN FONT LICENSE');
      await accessible(page, `a notice in the ${theme}`, theme === 'light' ? 'all' : 'colours');
      for (const width of [390, 1720]) {
        await page.setViewportSize({ width, height: 900 });
        const pane = page.locator('.settings-pane');
        expect(await pane.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
        await ui.picture(`${theme}-notices-${width}`);
      }
      await page.getByRole('searchbox', { name: 'Filter by name or license' }).fill('');
      await ui.picture(`${theme}-notices-all`);
      await page.getByRole('button', { name: 'Hide notices' }).click();
      await expect(page.locator('.notices')).toHaveCount(0);
    });
  });
}
