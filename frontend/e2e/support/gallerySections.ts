import { test as base, expect, type Page, type Request } from '@playwright/test';
import { type SectionName, type Shape, shapes } from '../../src/gallery/shapes';
import { BuiltGallery } from './gallery';

interface Shared {
  gallery: BuiltGallery;
  /** One page for all sections: what it has loaded and compiled once is there for the next. Each section begins again. */
  shown: Page;
}

export const test = base.extend<{ caught: string[] }, Shared>({
  gallery: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from this pattern
    async ({}, use, { project }) => {
      const gallery = await BuiltGallery.serve(project.outputDir);
      await use(gallery);
      await gallery.close();
    },
    { scope: 'worker' },
  ],
  shown: [
    async ({ browser }, use) => {
      const page = await browser.newPage({ locale: 'en-US', timezoneId: 'UTC' });
      await use(page);
      await page.close();
    },
    { scope: 'worker' },
  ],
  caught: [
    async ({ shown }, use) => {
      // What the section before still loads, such as a diagram in new colors, ends here and is no fault of this one.
      await shown.goto('about:blank');
      const caught: string[] = [];
      const fault = ({ message }: Error) => void caught.push(message);
      const lost = (request: Request) => void caught.push(`not loaded: ${request.url()}`);
      shown.on('pageerror', fault).on('requestfailed', lost);
      await use(caught);
      shown.off('pageerror', fault).off('requestfailed', lost);
      expect(caught, 'errors that nobody caught').toEqual([]);
    },
    { auto: true },
  ],
});

export const height = 800;

/** Opens a section, and waits until what it is about is there and nothing is loading. */
export async function openSection(page: Page, gallery: BuiltGallery, name: SectionName): Promise<void> {
  const [width = 1100] = shapes[name].widths;
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  // A comparison waits for what it expects; a new picture has to be of all there is.
  const waitUntil = test.info().config.updateSnapshots === 'missing' ? 'load' : 'networkidle';
  await page.goto(`${gallery.url}?section=${name}`, { waitUntil });
  const { shows, also = [] }: Shape = shapes[name];
  for (const one of [shows, ...also]) await expect(page.locator(one).first()).toBeVisible();
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
