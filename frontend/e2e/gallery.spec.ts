import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, type Page } from '@playwright/test';
import { type Shape, sectionNames, shapes } from '../src/gallery/shapes';
import { judge } from './support/axe';
import { chromium } from './support/chromium';
import { deep } from './support/deep';
import { faultsOf } from './support/faults';
import { test as base, height, openSection } from './support/gallerySections';
import { type Machine, machineOf, systemLetters, tolerance } from './support/machine';

// Every component in each of its states, light and dark, as pictures that are kept, and with what holds for all of them:
// no violations of axe, contrast, size of targets, names of buttons. docs/where.md tells how a picture is accepted.

const test = base.extend<object, { machine: Machine }>({
  machine: [async ({ shown, gallery }, use) => use(await machineOf(shown, gallery)), { scope: 'worker' }],
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
const message =
  'It looks different. Compare the expected, actual and diff pictures below; if it is meant to look so, run make gallery-accept (docs/where.md, "The gallery").';

/** Higher than any section. */
const tallest = 16_000;

/**
 * A section is as high as it is: all of it is on the screen, so that nothing is drawn later. It is never lower in
 * between, because a card says what of it is not in view, and keeps the room of that sentence.
 */
async function size(page: Page, shape: Shape, width: number): Promise<void> {
  if (shape.kind === 'screen') return page.setViewportSize({ width, height });
  await page.setViewportSize({ width, height: tallest });
  const whole = await page.evaluate(() => document.body.scrollHeight);
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

for (const theme of themes)
  for (const name of sectionNames) {
    const title = theme === 'light' ? name : `${name} in the dark`;
    test(title, theme === 'light' ? {} : deep, async ({ shown: page, gallery, machine }) => {
      const shape: Shape = shapes[name];
      await openSection(page, gallery, name);
      const foreign = await systemLetters(page, machine);
      const compares =
        machine.same && (machine.sameLetters || (foreign.length === 0 && !shape.systemLetters));
      const part = shape.part === undefined ? page : page.locator(shape.part).last();
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
        title,
        theme === 'dark' ? 'colours' : shape.kind === 'flow' ? 'repeated' : 'all',
        // What is around a dialog, a menu or a panel is judged with the sections that are about that.
        shape.kind === 'screen' ? (shape.part ?? null) : null,
      );
      expect.soft(await page.evaluate(faultsOf, theme === 'light'), title).toEqual([]);
      // The list of tests doesn't tell why one was skipped.
      if (!compares) process.stderr.write(`${title}: ${otherwise}\n`);
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
