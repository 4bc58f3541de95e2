import { expect, type Page } from '@playwright/test';
import type { BuiltGallery } from './gallery';

// Whether this machine draws as the one does on which the pictures were taken: another Chromium or another FreeType draws the same
// letters otherwise. It is asked about a page that has nothing of Weft but its fonts.

export interface Machine {
  /** The letters of Weft, lines and controls. */
  same: boolean;
  /** Letters that the fonts of Weft don't have, and those of images: a font of the system has them. */
  sameLetters: boolean;
  /** What the letters come from, by font and letter; '' where that is a font of Weft. */
  letters: Map<string, string>;
}

/** What is kept has fewer grays than what is drawn (shrink.mjs); what a user would see differs by more. */
export const tolerance = { threshold: 0.1, maxDiffPixels: 20 } as const;
/** How a machine draws is kept as it is, so a third of that is enough. */
const narrow = { threshold: 0.03, maxDiffPixels: 20 } as const;

export async function machineOf(page: Page, gallery: BuiltGallery): Promise<Machine> {
  await page.setViewportSize({ width: 480, height: 360 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.goto(gallery.machine);
  await page.evaluate(() => document.fonts.ready);
  const draws = async (part: 'own' | 'system') => {
    const picture = await page.locator(`#${part}`).screenshot();
    try {
      expect(picture).toMatchSnapshot(`machine-${part}.png`, narrow);
      return true;
    } catch {
      return false;
    }
  };
  return { same: await draws('own'), sameLetters: await draws('system'), letters: new Map() };
}

/** The letters of a page that no font of Weft has, each with the font of the system that it comes from. */
export async function systemLetters(page: Page, { letters }: Machine): Promise<string[]> {
  const used = await page.evaluate(() => {
    const found = new Set<string>();
    const note = (text: string, family: string) => {
      if (text !== '') found.add(`${family}\n `);
      for (const letter of text) if (letter > '\u007e') found.add(`${family}\n${letter}`);
    };
    for (const element of document.querySelectorAll('body, body *')) {
      if (!element.checkVisibility()) continue;
      const own = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
      const field = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
      const text = own.map(({ textContent }) => textContent?.trim() ?? '').join('');
      const { fontFamily } = getComputedStyle(element);
      note(field ? `${element.value}${element.placeholder}` : text, fontFamily);
      for (const which of ['::before', '::after']) {
        const { content, fontFamily: family } = getComputedStyle(element, which);
        if (content.startsWith('"')) note(content.slice(1, -1), family);
      }
    }
    return [...found];
  });
  const unknown = used.filter((one) => !letters.has(one));
  if (unknown.length > 0) await lookUp(page, unknown, letters);
  return used.flatMap((one) => {
    const font = letters.get(one) ?? '';
    return font === '' ? [] : [`${one.slice(one.indexOf('\n') + 1)} of ${font}`];
  });
}

async function lookUp(page: Page, unknown: readonly string[], letters: Map<string, string>): Promise<void> {
  await page.evaluate((all) => {
    const box = document.createElement('div');
    box.id = 'letters';
    box.style.cssText = 'position: fixed; visibility: hidden';
    for (const one of all) {
      const at = one.indexOf('\n');
      const span = document.createElement('span');
      span.style.fontFamily = one.slice(0, at);
      span.textContent = one.slice(at + 1).replace(' ', 'a');
      box.append(span);
    }
    document.body.append(box);
  }, unknown);
  await page.evaluate(() => document.fonts.ready);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('DOM.enable');
  await devtools.send('CSS.enable');
  const { root } = await devtools.send('DOM.getDocument');
  const { nodeIds } = await devtools.send('DOM.querySelectorAll', {
    nodeId: root.nodeId,
    selector: '#letters > span',
  });
  for (const [i, nodeId] of nodeIds.entries()) {
    const { fonts } = await devtools.send('CSS.getPlatformFontsForNode', { nodeId });
    letters.set(unknown[i] ?? '', fonts.find(({ isCustomFont }) => !isCustomFont)?.familyName ?? '');
  }
  await devtools.detach();
  await page.evaluate(() => document.getElementById('letters')?.remove());
}
