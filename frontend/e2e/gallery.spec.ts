import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { test as base, expect, type Page, type Request } from '@playwright/test';
import { type SectionName, type Shape, sectionNames, shapes } from '../src/gallery/shapes';
import { judge } from './support/axe';
import { chromium } from './support/chromium';
import { faultsOf } from './support/faults';
import { BuiltGallery } from './support/gallery';
import { type Machine, machineOf, systemLetters, tolerance } from './support/machine';

// Every component in each of its states, light and dark, as pictures that are kept, and with what holds for all of them:
// no violations of axe, contrast, size of targets, names of buttons. docs/where.md tells how a picture is accepted.

interface Shared {
  gallery: BuiltGallery;
  /** One page for all sections: what it has loaded and compiled once is there for the next. Each section begins again. */
  shown: Page;
  machine: Machine;
}

const test = base.extend<{ caught: string[] }, Shared>({
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
  machine: [async ({ shown, gallery }, use) => use(await machineOf(shown, gallery)), { scope: 'worker' }],
  caught: [
    async ({ shown }, use) => {
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

// Hints and subpixels are matters of a desktop: letters are drawn without them.
test.use({
  launchOptions: {
    ...chromium,
    args: [
      ...chromium.args,
      '--font-render-hinting=none',
      '--disable-lcd-text',
      '--force-color-profile=srgb',
    ],
  },
});

const themes = ['light', 'dark'] as const;
const height = 800;
const message =
  'It looks different. Compare the expected, actual and diff pictures below; if it is meant to look so, run make gallery-accept (docs/where.md, "The gallery").';

/** Opens a section, and waits until what it is about is there and nothing is loading. */
async function open(page: Page, gallery: BuiltGallery, name: SectionName): Promise<void> {
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

/** A section is as high as it is: all of it is on the screen, so that nothing is drawn later. */
async function size(page: Page, shape: Shape, width: number): Promise<void> {
  await page.setViewportSize({ width, height });
  if (shape.kind === 'screen') return;
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height: Math.max(height, whole) });
}

test.describe.configure({ mode: 'parallel' });

/** Fonts of another version draw other letters: that is a change of Weft and not of the machine. */
test('the pictures are of the fonts that Weft has', () => {
  const { dependencies } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../package.json'), 'utf8'));
  const fonts = Object.entries(dependencies).filter(([name]) => /font|katex/.test(name));
  const text = JSON.stringify(Object.fromEntries(fonts), null, 2);
  expect(`${text}\n`, message).toMatchSnapshot('fonts.json');
});

const otherwise =
  'This machine draws letters otherwise than the one on which the pictures were taken, so they were not compared. To compare here, take them on this machine from the state before your change: git stash, make gallery-accept, git stash pop.';

for (const name of sectionNames) {
  test(name, async ({ shown: page, gallery, machine }) => {
    const shape: Shape = shapes[name];
    await open(page, gallery, name);
    const foreign = await systemLetters(page, machine);
    const compares = machine.same && (machine.sameLetters || (foreign.length === 0 && !shape.systemLetters));
    const part = shape.part === undefined ? page : page.locator(shape.part).last();
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      for (const width of theme === 'light' ? shape.widths : darkWidths(shape)) {
        await size(page, shape, width);
        if (!compares) continue;
        // Twenty pixels are less than a letter.
        await expect
          .soft(part, message)
          .toHaveScreenshot(`${name}-${theme}-${width}.png`, { ...tolerance, timeout: 15_000 });
      }
      await judge(
        page,
        `${name}, ${theme}`,
        theme === 'dark' ? 'colours' : shape.kind === 'flow' ? 'repeated' : 'all',
        // What is around a dialog, a menu or a panel is judged with the sections that are about that.
        shape.kind === 'screen' ? (shape.part ?? null) : null,
      );
      expect.soft(await page.evaluate(faultsOf, theme === 'light'), `${name}, ${theme}`).toEqual([]);
    }
    // The list of tests doesn't tell why one was skipped.
    if (!compares) process.stderr.write(`${name}: ${otherwise}\n`);
    test.skip(!compares, otherwise);
  });
}

/** Colors don't depend on the width. */
function darkWidths({ widths }: Shape): readonly number[] {
  return widths.length === 1 ? widths : [1100];
}

test('the gallery is no part of what is shipped', async ({ gallery }) => {
  const dist = resolve(import.meta.dirname, '../dist');
  expect(existsSync(resolve(dist, 'index.html')), 'make build comes first').toBe(true);
  const files = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const told = files.filter(({ name, parentPath }) => {
    if (!/\.(?:html|(?:js|css)\.gz)$/.test(name)) return false;
    const content = readFileSync(resolve(parentPath, name));
    return /gallery/i.test((name.endsWith('.gz') ? gunzipSync(content) : content).toString('utf8'));
  });
  expect(told.map(({ name }) => name)).toEqual([]);
  // What would be found, if it was there.
  const page = await (await fetch(gallery.url)).text();
  expect(page).toContain('gallery');
});
