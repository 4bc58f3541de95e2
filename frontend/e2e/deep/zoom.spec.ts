import type { Page } from '@playwright/test';
import { anyCutTexts } from '../support/pseudo';
import { moving, overflowing, unreachable } from '../support/reflow';
import type { Screen } from '../support/screen';
import { expect, test } from '../support/test';
import { type Language, scene, stringsOf, tour } from '../support/tour';
import type { Weft } from '../support/weft';

// All screens at 200 % zoom, as narrow as 400 % makes a window, and with the spacing of WCAG 1.4.12: nothing is cut, nothing scrolls in two directions but
// code and tables, and all that takes the focus can be reached. Less motion is asked for, so nothing moves.

test.use({ reducedMotion: 'reduce' });

/** The spacing that a user may set without losing anything. */
const spacing =
  '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-bottom: 2em !important }';

async function faultsOf(page: Page): Promise<string[]> {
  const cut = await anyCutTexts(page);
  const wide = await page.evaluate(overflowing);
  const still = await page.evaluate(moving);
  return [...cut.map((one) => `cut: ${one}`), ...wide, ...still, ...(await page.evaluate(unreachable))];
}

/** Writing and answering work: there is room for both, and the answers of the request are where they can be pressed. */
async function usable(page: Page, ui: Screen): Promise<void> {
  const room = page.viewportSize()?.height ?? 0;
  const thread = await ui.transcript.boundingBox();
  expect(thread?.height, 'room for the conversation').toBeGreaterThan(Math.min(110, room * 0.27));
  const field = page.locator('.composer-field');
  await field.focus();
  await page.keyboard.insertText('Also count the pears');
  // Half a pixel may be missing.
  await expect(field).toBeInViewport({ ratio: 0.95 });
  await field.fill('');
  const allow = page.locator('.answer-allow').first();
  await allow.scrollIntoViewIfNeeded();
  await expect(allow).toBeInViewport({ ratio: 0.95 });
  const hit = await allow.evaluate((button) => {
    const { left, top, width, height } = button.getBoundingClientRect();
    return button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });
  expect(hit, 'nothing lies over the answer').toBe(true);
}

const speak = (weft: Weft, language: Language) =>
  weft.call('SaveAppearance', {
    ...{ theme: 'system', density: 'comfortable', textScale: 100, thoughts: 'in-place', language },
  });

const title =
  'מיין את התפוחים ואת האגסים Donaudampfschifffahrtsgesellschaftskapitänsmützen 林檎と梨を全部数えてください';

for (const { name, size, language, style } of [
  { name: '200 %', size: { width: 640, height: 400 }, language: 'en', style: '' },
  { name: '200 % in Japanese', size: { width: 640, height: 400 }, language: 'ja', style: '' },
  { name: '320 pixels in German', size: { width: 320, height: 640 }, language: 'de', style: '' },
  { name: 'more space between letters', size: { width: 1280, height: 800 }, language: 'en', style: spacing },
  {
    name: 'more space in German at 390 pixels',
    size: { width: 390, height: 844 },
    language: 'de',
    style: spacing,
  },
] as const)
  test(`all of it is there: ${name}`, async ({ weft, page, ui }) => {
    await scene(weft, page, ui);
    const [space] = (await weft.call('ListSpaces', { archived: false, query: '' })) ?? [];
    if (space !== undefined) await weft.call('UpdateSpace', { spaceId: space.id, title });
    await speak(weft, language);
    await expect(page.locator('html')).toHaveAttribute('lang', new RegExp(`^${language}`));
    await page.setViewportSize(size);
    if (style !== '') await page.addStyleTag({ content: style });
    const own = language === 'en' ? null : stringsOf(language);
    const faults: string[] = [];
    await ui.picture(`zoom-${name}-first`);
    if (language === 'en') await usable(page, ui);
    await tour(
      page,
      (text) => own?.get(text) ?? text,
      async (screen) => {
        await ui.picture(`zoom-${name}-${screen}`);
        faults.push(...(await faultsOf(page)).map((fault) => `${screen}: ${fault}`));
      },
    );
    expect([...new Set(faults)].join('\n')).toBe('');
  });

test('what is cut, out of reach, wide or moves is found', async ({ weft, page, ui }) => {
  await weft.puppet();
  await weft.open(page);
  await expect(ui.composer).toBeVisible();
  expect(await faultsOf(page)).toEqual([]);
  await page.addStyleTag({
    content:
      '.new-space { height: 9px; overflow: hidden } .foot-button { position: fixed; left: -300px } textarea.composer-field { animation: late 9s !important } @keyframes late { to { opacity: 0.5 } } .sidebar-lists { width: 900px } .sidebar-pane { overflow-x: auto }',
  });
  const faults = (await faultsOf(page)).join('\n');
  expect(faults).toMatch(/^cut: .*new-space/m);
  expect(faults).toMatch(/foot-button.* is outside/);
  expect(faults).toMatch(/sidebar-pane is scrolled to the side/);
  expect(faults).toMatch(/late moves TEXTAREA/);
});
