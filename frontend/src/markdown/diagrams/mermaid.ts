/**
 * Draws diagrams with mermaid, which is loaded when the first one comes into view. The library draws a diagram out of
 * sight; the result is taken apart, checked and returned as SVG text that is only ever shown as an image. In an image,
 * the browser runs and loads nothing.
 */
import DOMPurify from 'dompurify';
import mermaid from 'mermaid';

/** Colors and font of a diagram. */
export interface DiagramLook {
  readonly dark: boolean;
  colour(token: string): string;
}

export interface DrawnDiagram {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

/** Source that could load something while it is drawn, or doesn't belong in a diagram. */
const REFUSED =
  /url\s*\(|image-set\s*\(|@import|\bimg\s*["']?\s*:|<\s*\/?\s*(?:img|image|script|iframe|object|embed|link|style|svg|math|video|audio|input|form|base|meta|foreignobject)\b|\\[0-9a-f]{1,6}/i;

/**
 * Event handlers: the library parses labels as HTML, and the content security policy should not be the only defense.
 */
const HANDLER = /\bon[a-z]{3,}\s*=/i;
const MARKUP = /[<&#]/;

/** Lines that add links or click handlers, which don't work in an image. */
const LINKING = /^[ \t]*(?:(?:click|callback)[ \t]+[\w.]+[ \t]+["\w].*|links?[ \t]+[\w.]+[ \t]*[:"].*)$/gm;

let drawings = 0;

/** Draws a diagram. Throws if the source is invalid; the first line of the message says why. */
export async function drawDiagram(source: string, look: DiagramLook): Promise<DrawnDiagram> {
  if (REFUSED.test(source) || (HANDLER.test(source) && MARKUP.test(source)))
    throw Object.assign(new Error(), { name: 'refused' });
  mermaid.initialize(configOf(look));
  await mermaid.parse(source);
  const stage = document.createElement('div');
  stage.className = 'md-diagram-stage';
  stage.setAttribute('aria-hidden', 'true');
  stage.inert = true;
  document.body.append(stage);
  try {
    const text = source.replace(LINKING, '');
    const { svg } = await mermaid.render(`md-diagram-${++drawings}`, text, stage);
    return cleaned(svg);
  } finally {
    stage.remove();
  }
}

const FONT = 'sans-serif';

function configOf(look: DiagramLook): Parameters<typeof mermaid.initialize>[0] {
  const { colour } = look;
  const ink = colour('--ink');
  const series = [1, 2, 3, 4, 5, 6, 7, 8];
  const pies = Object.fromEntries(series.map((n) => [`pie${n}`, colour(`--chart-${n}`)]));
  return {
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    maxTextSize: 50 * 1024,
    maxEdges: 500,
    logLevel: 'fatal',
    // Labels are SVG text, because an image doesn't show HTML in it.
    htmlLabels: false,
    fontFamily: FONT,
    theme: 'base',
    look: 'classic',
    themeVariables: {
      darkMode: look.dark,
      fontFamily: FONT,
      fontSize: '14px',
      useGradient: false,
      dropShadow: 'none',
      background: colour('--sunken'),
      primaryColor: colour('--raised'),
      primaryTextColor: ink,
      primaryBorderColor: colour('--line-strong'),
      secondaryColor: colour('--accent-soft'),
      secondaryTextColor: ink,
      secondaryBorderColor: colour('--accent'),
      tertiaryColor: colour('--band'),
      tertiaryTextColor: ink,
      tertiaryBorderColor: colour('--line-strong'),
      lineColor: colour('--ink-2'),
      textColor: ink,
      titleColor: ink,
      edgeLabelBackground: colour('--sunken'),
      noteBkgColor: colour('--waiting-soft'),
      noteTextColor: ink,
      noteBorderColor: colour('--waiting-line'),
      errorBkgColor: colour('--failed-soft'),
      errorTextColor: ink,
      pieStrokeColor: colour('--page'),
      pieOuterStrokeColor: colour('--line-strong'),
      pieSectionTextColor: colour('--page'),
      pieOpacity: '1',
      ...pies,
    },
    // Settings that a directive in the source can't override.
    secure: [
      'secure',
      'securityLevel',
      'startOnLoad',
      'suppressErrorRendering',
      'maxTextSize',
      'maxEdges',
      'logLevel',
      'htmlLabels',
      'theme',
      'look',
      'themeCSS',
      'themeVariables',
      'fontFamily',
      'altFontFamily',
      'dompurifyConfig',
    ],
  };
}

const LINKS = new Set(['href', 'xlink:href', 'src', 'action', 'formaction']);
/** References to anything outside of the image itself. */
const FOREIGN = /url\(\s*(?!["']?#)/i;

function cleaned(text: string): DrawnDiagram {
  const root: unknown = DOMPurify.sanitize(text, {
    USE_PROFILES: { svg: true, svgFilters: true },
    FORBID_TAGS: [
      'a',
      'image',
      'script',
      'foreignObject',
      'animate',
      'animateTransform',
      'animateMotion',
      'set',
    ],
    RETURN_DOM: true,
  });
  const svg = root instanceof Element ? root.querySelector('svg') : null;
  if (svg === null) throw new Error();
  for (const element of [svg, ...svg.querySelectorAll('*')]) {
    for (const { name, value } of [...element.attributes]) {
      const foreign = LINKS.has(name.toLowerCase()) ? !value.startsWith('#') : FOREIGN.test(value);
      if (foreign || /^on/i.test(name)) element.removeAttribute(name);
    }
    if (
      element.localName === 'style' &&
      (FOREIGN.test(element.textContent) || /@import/i.test(element.textContent))
    )
      element.remove();
  }
  const { width, height } = sizeOf(svg);
  // An image needs an explicit size.
  svg.setAttribute('width', String(width));
  svg.setAttribute('height', String(height));
  svg.style.removeProperty('max-width');
  return { svg: new XMLSerializer().serializeToString(svg), width, height };
}

function sizeOf(svg: SVGSVGElement) {
  const [, , width = 0, height = 0] = (svg.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number);
  const known = width > 0 && height > 0 && width < 20_000 && height < 20_000;
  if (!known) throw new Error();
  return { width: Math.ceil(width), height: Math.ceil(height) };
}
