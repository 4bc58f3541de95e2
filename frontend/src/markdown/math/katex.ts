/**
 * KaTeX, its style sheet and its fonts, loaded for the first formula of a text. Its output is checked like the parser's
 * HTML.
 */
import katex from 'katex';
import 'katex/dist/katex.min.css';

/** A formula that defines macros can expand exponentially: it must be short and may expand only a little. */
const OWN_MACROS =
  /\\(?:[gex]?def|(?:re|provide)?new(?:command|environment)|providecommand|let|futurelet|global|long)(?![a-zA-Z])/;
const LONGEST_WITH_MACROS = 500;
/** The color that KaTeX gives to what it doesn't trust, such as links and images. Nothing else uses it. */
const REFUSED = '#c0ffe1';
/** Characters of HTML. Anything larger is not a formula. */
const LARGEST = 200_000;

/** Draws a formula. Throws if it is invalid, with the reason as the message. */
export function draw(tex: string, display: boolean): DocumentFragment {
  const macros = OWN_MACROS.test(tex);
  if (macros && tex.length > LONGEST_WITH_MACROS) throw new Error();
  const html = katex.renderToString(tex, {
    displayMode: display,
    throwOnError: true,
    strict: 'ignore',
    trust: false,
    errorColor: REFUSED,
    maxExpand: macros ? 60 : 1000,
    maxSize: 20,
    // Definitions in one formula don't apply to the next.
    globalGroup: false,
    macros: {},
  });
  if (html.includes(REFUSED)) throw new Error();
  if (html.length > LARGEST) throw new Error();
  const fragment = checked(html);
  if (fragment === undefined) throw new Error();
  return fragment;
}

const HTML = 'http://www.w3.org/1999/xhtml';
const SVG = 'http://www.w3.org/2000/svg';
const MATHML = 'http://www.w3.org/1998/Math/MathML';

const ELEMENTS: Readonly<Record<string, ReadonlySet<string>>> = {
  [HTML]: new Set(['span']),
  [SVG]: new Set(['svg', 'path', 'line', 'g']),
  [MATHML]: new Set(
    'math semantics annotation mrow mi mn mo ms mtext mspace mfrac msqrt mroot msub msup msubsup mover munder munderover mtable mtr mtd mlabeledtr mstyle mpadded mphantom menclose mmultiscripts mprescripts none'.split(
      ' ',
    ),
  ),
};
const ATTRIBUTES: Readonly<Record<string, ReadonlySet<string>>> = {
  [HTML]: new Set(['class', 'style', 'aria-hidden']),
  [SVG]: new Set(
    'xmlns width height viewBox preserveAspectRatio style d x1 x2 y1 y2 stroke stroke-width fill class'.split(
      ' ',
    ),
  ),
  [MATHML]: new Set(
    'xmlns display encoding mathvariant stretchy fence separator lspace rspace minsize maxsize accent accentunder linethickness scriptlevel displaystyle width height depth voffset columnalign columnspacing rowspacing columnlines rowlines rowalign side notation mathcolor mathbackground mathsize movablelimits symmetric largeop form class style intent'.split(
      ' ',
    ),
  ),
};
/** Styles that load something or leave the box of the formula. */
const STYLE = /url|expression|@|\\|fixed|absolute|sticky|content|<|&/i;

/**
 * Returns the nodes of the HTML, or undefined if it contains anything that is not allowed. As in render.ts, it is
 * parsed once and never serialized again.
 */
export function checked(html: string): DocumentFragment | undefined {
  const template = document.createElement('template');
  template.innerHTML = html;
  const { content } = template;
  for (const element of content.querySelectorAll('*')) {
    const { namespaceURI, localName } = element;
    if (ELEMENTS[namespaceURI ?? '']?.has(localName) !== true) return undefined;
    for (const { name, value, namespaceURI: space } of element.attributes) {
      const plain = space === null || name === 'xmlns';
      if (!plain || ATTRIBUTES[namespaceURI ?? '']?.has(name) !== true) return undefined;
      if (name === 'style' && STYLE.test(value)) return undefined;
    }
  }
  const others = NodeFilter.SHOW_ALL & ~NodeFilter.SHOW_ELEMENT & ~NodeFilter.SHOW_TEXT;
  return document.createTreeWalker(content, others).nextNode() === null ? content : undefined;
}
