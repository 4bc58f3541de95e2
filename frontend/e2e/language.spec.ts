import { readFile, writeFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { accessible } from './support/axe';
import { deep } from './support/deep';
import { cutTexts, pseudo, speakPseudo } from './support/pseudo';
import { expect, test } from './support/test';
import { themes } from './support/themes';
import { type Language, scene, stringsOf, tour } from './support/tour';
import type { Weft } from './support/weft';

const look = { theme: 'system', density: 'comfortable', textScale: 100, thoughts: 'in-place' } as const;
const speak = (weft: Weft, language: Language) => weft.call('SaveAppearance', { ...look, language });
const html = (page: Page) => page.locator('html');

test('the language is chosen in the settings, and applies at once', async ({ weft, page, ui }) => {
  await weft.puppet();
  await weft.open(page);
  await ui.openSettings('Appearance');
  const choice = page.locator('#language');
  await choice.focus();
  await choice.selectOption('de');
  await expect(page.getByRole('heading', { name: 'Einstellungen', level: 1 })).toBeVisible();
  await expect(html(page)).toHaveAttribute('lang', 'de');
  await expect(choice).toHaveValue('de');
  await expect(choice).toBeFocused();
  await accessible(page, 'the settings in German', 'all');
  // The palette finds the languages by their own names, and in English.
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Language 日本語');
  await expect(page.getByRole('option', { selected: true })).toContainText('日本語');
  await page.keyboard.press('Enter');
  await expect(html(page)).toHaveAttribute('lang', 'ja');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('language zh');
  await page.keyboard.press('Enter');
  await expect(html(page)).toHaveAttribute('lang', 'zh-Hans');
  await expect.poll(() => readFile(weft.settings, 'utf8')).toContain('"language": "zh"');
  await speak(weft, 'en');
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
});

test('a language that cannot be saved is not shown for longer than that takes', async ({
  weft,
  page,
  ui,
}) => {
  await weft.puppet();
  await weft.open(page);
  await ui.openSettings('Appearance');
  await writeFile(weft.settings, '{ "appearance": ');
  const choice = page.locator('#language');
  await choice.selectOption('de');
  await expect(
    page.locator('[data-sonner-toast]').filter({ hasText: /Couldn't|nicht gespeichert/ }),
  ).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
  await expect(choice).toHaveValue('system');
});

test('what is painted first is in the language, which is the only one that is loaded', async ({
  weft,
  page,
}) => {
  await weft.puppet();
  await speak(weft, 'ja');
  const loaded: string[] = [];
  page.on('request', (request) => {
    const name = /\/assets\/(de|es|ja|zh)-[\w-]+\.js$/.exec(request.url())?.[1];
    if (name !== undefined) loaded.push(name);
  });
  await page.addInitScript(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    new MutationObserver(() => {
      const root = document.getElementById('root');
      if (root?.firstElementChild != null) seen.push(`${document.documentElement.lang} ${root.textContent}`);
    }).observe(document, { childList: true, subtree: true, characterData: true });
  });
  await page.goto(weft.firstLink());
  await expect(page.getByRole('navigation').first()).toBeVisible();
  await expect(page.locator('.shell[data-rest="true"]')).toBeAttached();
  const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
  expect(seen.length).toBeGreaterThan(0);
  for (const text of seen) {
    expect(text).toMatch(/^ja /);
    expect(text).not.toMatch(/New space|Settings|Search/);
  }
  expect(loaded).toEqual(['ja']);
});

test.describe('a browser that speaks Spanish', () => {
  test.use({ locale: 'es-MX' });
  test('is answered in Spanish, with its dates and numbers', async ({ weft, page }) => {
    await weft.puppet();
    await page.goto(weft.firstLink());
    await expect(html(page)).toHaveAttribute('lang', 'es');
    await expect(page.getByRole('button', { name: 'Configuración', exact: true })).toBeVisible();
  });
});

test('Enter that accepts a word of an input method does not send', async ({ weft, page, ui }) => {
  const { puppet } = await weft.puppet();
  await weft.open(page);
  await ui.composer.focus();
  const keys = await page.context().newCDPSession(page);
  await keys.send('Input.imeSetComposition', { text: 'りんご', selectionStart: 3, selectionEnd: 3 });
  await expect(ui.composer).toHaveValue('りんご');
  for (const type of ['rawKeyDown', 'keyUp'] as const)
    await keys.send('Input.dispatchKeyEvent', {
      type,
      key: 'Enter',
      code: 'Enter',
      windowsVirtualKeyCode: 229,
    });
  await keys.send('Input.insertText', { text: '林檎' });
  await expect(ui.composer).toHaveValue('林檎');
  await page.keyboard.press('Enter');
  const turn = await puppet.turn();
  expect(turn.text).toBe('林檎');
  turn.end();
});

for (const width of [1280, 390])
  test(
    `no text is cut where it is 1.4 times as long, at ${width} pixels`,
    deep,
    async ({ weft, page, ui }) => {
      await speakPseudo(page);
      await scene(weft, page, ui);
      await speak(weft, 'de');
      await expect(html(page)).toHaveAttribute('lang', 'de');
      await page.setViewportSize({ width, height: 844 });
      const faults: string[] = [];
      await tour(page, pseudo, async (name) => {
        await ui.picture(`pseudo-${width}-${name}`);
        faults.push(...(await cutTexts(page)).map((fault) => `${name}: ${fault}`));
      });
      expect([...new Set(faults)].join('\n')).toBe('');
    },
  );

test('the pseudo-language is 1.4 times as long', () => {
  for (const text of ['Cancel', 'Try again', '{{n}} files, {{size}} together.', 'OK']) {
    const long = pseudo(text).replaceAll(/\{\{\w+\}\}/g, '').length;
    expect(long).toBeGreaterThanOrEqual(text.replaceAll(/\{\{\w+\}\}/g, '').length * 1.4);
  }
  expect(pseudo('{{n}}%')).toBe('{{n}}%');
});

if (process.env['WEFT_PICTURES'] !== undefined)
  for (const theme of themes)
    for (const language of ['de', 'es', 'zh', 'ja'] as const)
      test.describe(`pictures in ${theme}`, () => {
        test.use({ colorScheme: theme });
        test(`of the screens in ${language}`, async ({ weft, page, ui }) => {
          await scene(weft, page, ui);
          await speak(weft, language);
          await expect(html(page)).toHaveAttribute('lang', new RegExp(`^${language}`));
          const own = stringsOf(language);
          await tour(
            page,
            (text) => own.get(text) ?? text,
            (name) => ui.picture(`${language}-${theme}-${name}`),
          );
        });
      });
