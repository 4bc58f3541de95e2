import type { Page } from '@playwright/test';
import en from '../../src/i18n/en.json' with { type: 'json' };

// A language for tests: English with accents, 1.4 times as long. It takes the place of German's strings on their way to the page.

interface Strings {
  [key: string]: string | Strings;
}

const accents: Readonly<Record<string, string>> = {
  ...{ a: 'å', e: 'é', i: 'î', o: 'ö', u: 'û', A: 'Å', E: 'É', I: 'Î', O: 'Ö', U: 'Û', y: 'ý' },
};
const made = /[åéîöûÅÉÎÖÛý]/;

/** A string 1.4 times as long: in words where it has several, else as one long word. */
export function pseudo(text: string): string {
  const pieces = text.split(/(\{\{\w+\}\}|<\/?\w+>)/);
  const plain = pieces.filter((_, i) => i % 2 === 0).join('');
  const accented = pieces.map((piece, i) =>
    i % 2 === 1 ? piece : piece.replace(/[aeiouyAEIOU]/g, (letter) => accents[letter] ?? letter),
  );
  if (!/\p{L}/u.test(plain)) return text;
  let more = Math.ceil(plain.length * 0.4);
  let tail = '';
  if (plain.trim().includes(' '))
    while (more > 0) {
      const word = ' éxtrålöngé'.slice(0, Math.max(3, Math.min(11, more)));
      tail += word;
      more -= word.length;
    }
  else tail = 'ö'.repeat(more);
  // Before a stop, as a sentence is longer in its middle.
  const [, body = '', stop = ''] = /^(.*?)([.…:?!]*)$/s.exec(accented.join('')) ?? [];
  return body + tail + stop;
}

/** The strings of a file in the pseudo-language. */
function pseudoOf(strings: Strings): Strings {
  return Object.fromEntries(
    Object.entries(strings).map(([name, value]) => [
      name,
      typeof value === 'string' ? pseudo(value) : pseudoOf(value),
    ]),
  );
}

/** Gives the page the pseudo-language instead of German. */
export async function speakPseudo(page: Page): Promise<void> {
  await page.route(/\/assets\/de-[\w-]+\.js$/, (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: `export default ${JSON.stringify({ strings: pseudoOf(en), sentences: {} })};`,
    }),
  );
}

/** What of the pseudo-language is cut: wider or taller than where it is, without an ellipsis and a hint that has the whole. */
export function cutTexts(page: Page): Promise<string[]> {
  return page.evaluate(cutOf, made.source);
}

/** The same of any text, except where an ellipsis says that there is more. */
export function anyCutTexts(page: Page): Promise<string[]> {
  return page.evaluate(cutOf, '');
}

function cutOf(pattern: string): string[] {
  const strange = new RegExp(pattern);
  const hidden = (element: Element) => {
    const style = getComputedStyle(element);
    return (
      style.visibility === 'hidden' ||
      style.opacity === '0' ||
      element.closest('.visually-hidden, [cmdk-label]') !== null
    );
  };
  const hinted = (element: Element) => pattern === '' || element.closest('[title], option') !== null;
  const nameOf = (element: Element) => `${element.tagName.toLowerCase()}.${[...element.classList].join('.')}`;
  const faults = new Set<string>();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.textContent?.trim() ?? '';
    const own = node.parentElement;
    if (own === null || !strange.test(text) || own.closest('script, style, select') !== null || hidden(own))
      continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width <= 1 || box.height <= 1) continue;
    let scrollsX = false;
    let shortened = false;
    let scrollsY = false;
    for (
      let at: Element | null = own;
      at !== null && at !== document.documentElement;
      at = at.parentElement
    ) {
      const style = getComputedStyle(at);
      const edge = at.getBoundingClientRect();
      const say = (how: string) =>
        faults.add(`${nameOf(own)} in ${nameOf(at as Element)} (${how}): ${text.slice(0, 60)}`);
      if (style.overflowX === 'auto' || style.overflowX === 'scroll') scrollsX = true;
      if (style.overflowY === 'auto' || style.overflowY === 'scroll') scrollsY = true;
      if (
        !scrollsX &&
        /hidden|clip/.test(style.overflowX) &&
        (box.right > edge.right + 1.5 || box.left < edge.left - 1.5)
      ) {
        if (style.textOverflow !== 'ellipsis' || !hinted(at)) say('cut');
        shortened ||= pattern === '' && style.textOverflow === 'ellipsis';
        break;
      }
      if (
        !scrollsY &&
        /hidden|clip/.test(style.overflowY) &&
        box.bottom > edge.bottom + 3 &&
        style.webkitLineClamp === 'none'
      ) {
        say('cut below');
        break;
      }
      if (style.position === 'fixed') break;
    }
    if (shortened) continue;
    if (!scrollsX && (box.right > window.innerWidth + 1 || box.left < -1))
      faults.add(`${nameOf(own)} (outside): ${text.slice(0, 60)}`);
    // A text that leaves its button runs into what is beside it.
    const button = own.closest('button, .tag, .segment');
    if (button !== null && getComputedStyle(button).overflowX === 'visible') {
      const edge = button.getBoundingClientRect();
      if (box.right > edge.right + 1.5 || box.left < edge.left - 1.5 || box.bottom > edge.bottom + 3)
        faults.add(`${nameOf(own)} (leaves ${nameOf(button)}): ${text.slice(0, 60)}`);
    }
  }
  return [...faults];
}
