import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test as base, expect, type Page } from '@playwright/test';
import { type SectionName, type Shape, sectionNames, shapes } from '../src/gallery/shapes';
import { accessible } from './support/axe';
import { faultsOf } from './support/faults';
import { BuiltGallery } from './support/gallery';

// Every component in each of its states, light and dark, as pictures that are kept, and with what holds for all of them:
// no violations of axe, contrast, size of targets, names of buttons. docs/where.md tells how a picture is accepted.

const test = base.extend<{ caught: string[] }, { gallery: BuiltGallery }>({
  gallery: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from this pattern
    async ({}, use) => {
      const gallery = await BuiltGallery.serve();
      await use(gallery);
      await gallery.close();
    },
    { scope: 'worker' },
  ],
  caught: [
    async ({ page }, use) => {
      const caught: string[] = [];
      page.on('pageerror', ({ message }) => caught.push(message));
      page.on('requestfailed', (request) => caught.push(`not loaded: ${request.url()}`));
      await use(caught);
      expect(caught, 'errors that nobody caught').toEqual([]);
    },
    { auto: true },
  ],
});

const themes = ['light', 'dark'] as const;
const height = 800;

/** Opens a section, and waits until what it is about is there and nothing is loading. */
async function open(page: Page, gallery: BuiltGallery, name: SectionName): Promise<void> {
  const [width = 1100] = shapes[name].widths;
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  // A comparison waits for what it expects; a new picture has to be of all there is.
  const waitUntil = test.info().config.updateSnapshots === 'missing' ? 'load' : 'networkidle';
  await page.goto(`${gallery.url}?section=${name}`, { waitUntil });
  await expect(page.locator(shapes[name].shows).first()).toBeVisible();
  await expect(page.locator('html')).not.toHaveAttribute('data-clicking');
  await page.evaluate(() => document.fonts.ready);
  await force(page);
}

/** Puts elements into states that otherwise only a hand puts them into: data-forced="hover". */
async function force(page: Page): Promise<void> {
  if ((await page.locator('[data-forced]').count()) === 0) return;
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('DOM.enable');
  await devtools.send('CSS.enable');
  const { root } = await devtools.send('DOM.getDocument');
  for (const state of ['hover', 'focus-visible']) {
    const selector = `[data-forced="${state}"]`;
    const { nodeIds } = await devtools.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector });
    for (const nodeId of nodeIds)
      await devtools.send('CSS.forcePseudoState', { nodeId, forcedPseudoClasses: [state] });
  }
}

/** A section is as high as it is: all of it is on the screen, so that nothing is drawn later. */
async function size(page: Page, shape: Shape, width: number): Promise<void> {
  await page.setViewportSize({ width, height });
  if (shape.kind === 'screen') return;
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height: Math.max(height, whole) });
}

test.describe.configure({ mode: 'parallel' });

for (const name of sectionNames) {
  test(name, async ({ page, gallery }) => {
    const shape: Shape = shapes[name];
    await open(page, gallery, name);
    const part = shape.part === undefined ? page : page.locator(shape.part).last();
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      for (const width of shape.widths) {
        await size(page, shape, width);
        // Grays at the edges of letters differ between machines by a little; what a person would see differs by more. Twenty
        // pixels are less than a letter.
        await expect
          .soft(
            part,
            'It looks different. docs/where.md, "The gallery", says how to look at it and accept it.',
          )
          .toHaveScreenshot(`${name}-${theme}-${width}.png`, {
            threshold: 0.15,
            maxDiffPixels: 20,
            timeout: 15_000,
          });
      }
      await accessible(
        page,
        `${name}, ${theme}`,
        theme === 'dark' ? 'colours' : shape.kind === 'flow' ? 'repeated' : 'all',
      );
      expect.soft(await page.evaluate(faultsOf, theme === 'light'), `${name}, ${theme}`).toEqual([]);
    }
  });
}

test('the gallery is no part of what is shipped', async ({ gallery }) => {
  const dist = resolve(import.meta.dirname, '../dist');
  expect(existsSync(resolve(dist, 'index.html')), 'make build comes first').toBe(true);
  const files = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const told = files.filter(({ name, parentPath }) => {
    const isText = /\.(?:html|js|css)$/.test(name);
    return isText && /gallery/i.test(readFileSync(resolve(parentPath, name), 'utf8'));
  });
  expect(told.map(({ name }) => name)).toEqual([]);
  // What would be found, if it was there.
  const page = await (await fetch(gallery.url)).text();
  expect(page).toContain('gallery');
});
