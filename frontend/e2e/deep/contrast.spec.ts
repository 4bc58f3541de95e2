import type { Page } from '@playwright/test';
import { type Shape, sectionNames, shapes } from '../../src/gallery/shapes';
import { judge, still } from '../support/axe';
import { faultsOf } from '../support/faults';
import { foreignColors, unseenFocus } from '../support/forced';
import { openSection, test } from '../support/gallerySections';
import { expect } from '../support/test';

// Every component where the system forces its colors, as contrast themes of Windows do, and where more contrast is asked for: nothing has another
// color than one of the system, texts can be read, and one sees where the focus is.

test.describe.configure({ mode: 'parallel' });

const looks = [
  { name: 'forced colors', forced: true, media: { forcedColors: 'active', colorScheme: 'light' } },
  { name: 'forced colors, dark', forced: true, media: { forcedColors: 'active', colorScheme: 'dark' } },
  { name: 'more contrast', forced: false, media: { contrast: 'more', colorScheme: 'light' } },
  { name: 'more contrast, dark', forced: false, media: { contrast: 'more', colorScheme: 'dark' } },
] as const;

/** Colors that mean something by themselves, and so are those of the theme: series of a chart, and a diagram. */
const ownColors = '.chart-display svg, .chart-display .swatch, .md-diagram';

/** What is wrong with the colors; and with the focus, which is judged once. */
async function faultsIn(page: Page, { forced, media }: (typeof looks)[number]): Promise<string[]> {
  const faults = forced ? await page.evaluate(foreignColors) : [];
  faults.push(...(await page.evaluate(faultsOf, false)));
  if (!forced || media.colorScheme === 'dark') return faults;
  await page.keyboard.press('Shift');
  const unseen = await page.evaluate(unseenFocus);
  return [...faults, ...unseen.map((fault) => `no focus seen: ${fault}`)];
}

for (const name of sectionNames) {
  test(name, async ({ shown: page, gallery }) => {
    const shape: Shape = shapes[name];
    await openSection(page, gallery, name);
    await page.locator(ownColors).evaluateAll((all) => {
      for (const one of all) one.setAttribute('data-colors', 'own');
    });
    const faults: string[] = [];
    for (const look of looks) {
      await page.emulateMedia({ forcedColors: 'none', contrast: 'no-preference', ...look.media });
      if (look === looks[0])
        await judge(
          page,
          `${name}, ${look.name}`,
          'colours',
          shape.kind === 'screen' ? (shape.part ?? null) : null,
        );
      else await still(page);
      faults.push(...(await faultsIn(page, look)).map((fault) => `${look.name}: ${fault}`));
    }
    await page.emulateMedia({ forcedColors: 'none', contrast: 'no-preference' });
    expect(faults).toEqual([]);
  });
}

test('a color of its own, a faint text and a focus that is not seen are found', async ({
  shown: page,
  gallery,
}) => {
  await openSection(page, gallery, 'controls');
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'light' });
  await page.addStyleTag({
    content:
      '.button { color: #b05 !important } .field { background: #efe !important } .form-label { opacity: 0.2 } .icon-button:focus-visible { outline: 0 }',
  });
  const faults = (await faultsIn(page, looks[0])).join('\n');
  expect(faults).toMatch(/button\.button: color/);
  expect(faults).toMatch(/input\.field: ground/);
  expect(faults).toMatch(/contrast of .*form-label/);
  expect(faults).toMatch(/no focus seen: button\.icon-button/);
  expect(faults).not.toMatch(/no focus seen: button\.button/);
  await page.emulateMedia({ forcedColors: 'none' });
});
