/**
 * What is wrong with the page in ways that axe doesn't look for, in words: small targets, icons without a tip, prose with
 * too little contrast. It runs in the page, so it uses nothing from outside of itself.
 */
export function faultsOf(structure: boolean): string[] {
  const least = 24;
  const shown = (element: Element) =>
    element.checkVisibility({ opacityProperty: false, visibilityProperty: true });
  const told = (element: Element) => {
    const { className, textContent } = element;
    const name = element.getAttribute('aria-label') ?? textContent ?? '';
    return `${element.tagName.toLowerCase()}.${String(className).trim().replace(/\s+/g, '.')} "${name.trim().slice(0, 40)}"`;
  };
  const faults: string[] = [];

  /** A target within a sentence is as high as the sentence. */
  const isInline = (element: Element) => {
    if (!getComputedStyle(element).display.startsWith('inline')) return false;
    const around = element.parentElement;
    return [...(around?.childNodes ?? [])].some(
      (node) => node.nodeType === Node.TEXT_NODE && (node.textContent ?? '').trim() !== '',
    );
  };
  const targets =
    'button, a[href], summary, [role=button], [role=switch], [role=tab], [role=option], [role^=menuitem]';
  if (structure) {
    for (const element of document.querySelectorAll(targets)) {
      if (
        !shown(element) ||
        element.closest('[aria-hidden=true], .visually-hidden, [data-base-ui-inert], [data-front=false]') !==
          null
      )
        continue;
      const { width, height } = element.getBoundingClientRect();
      // A line of text may have a target of its own above and below itself.
      const { position, inset } = getComputedStyle(element, '::after');
      const grown = position === 'absolute' && inset.startsWith('-') ? 2 * -Number.parseFloat(inset) : 0;
      const tall = Math.min(width, height + grown);
      if (width > 1 && tall < least - 0.5 && !isInline(element))
        faults.push(`target of ${Math.round(width)} × ${Math.round(height)}: ${told(element)}`);
      const words = (element.textContent ?? '').trim();
      const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
      const labelled = labels
        .map(({ textContent }) => textContent ?? '')
        .join(' ')
        .trim();
      const name =
        element.getAttribute('aria-label') ?? element.getAttribute('aria-labelledby') ?? (words || labelled);
      if (name === '') faults.push(`no name: ${told(element)}`);
      const isIcon = words === '' && element.querySelector('svg, img') !== null;
      const tip = element.getAttribute('title') ?? element.getAttribute('data-base-ui-tooltip-trigger') ?? '';
      const hasTip = tip !== '' || element.hasAttribute('data-base-ui-tooltip-trigger');
      if (isIcon && !hasTip) faults.push(`icon without a tip: ${told(element)}`);
    }
  }

  // Colors as the browser computes them may be of any kind: a canvas makes numbers of them.
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  type Color = [red: number, green: number, blue: number, alpha: number];
  const known = new Map<string, Color>();
  const colorOf = (text: string): Color => {
    const before = known.get(text);
    if (before !== undefined || context === null) return before ?? [0, 0, 0, 0];
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = text;
    context.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data;
    const color: Color = [red, green, blue, alpha / 255];
    known.set(text, color);
    return color;
  };
  const over = (top: Color, below: Color): Color => {
    const mix = (i: 0 | 1 | 2) => top[i] * top[3] + below[i] * (1 - top[3]);
    return [mix(0), mix(1), mix(2), 1];
  };
  const groundOf = (element: Element | null): Color => {
    if (element === null) return [255, 255, 255, 1];
    const own = colorOf(getComputedStyle(element).backgroundColor);
    return own[3] >= 1 ? own : over(own, groundOf(element.parentElement));
  };
  const luminance = (color: Color) => {
    const linear = (value: number) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * linear(color[0]) + 0.7152 * linear(color[1]) + 0.0722 * linear(color[2]);
  };
  const ratio = (a: Color, b: Color) => {
    const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (light + 0.05) / (dark + 0.05);
  };
  const seen = new Set<string>();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const element = node.parentElement;
    if (element === null || (node.textContent ?? '').trim() === '' || !shown(element)) continue;
    if (element.closest('.visually-hidden, [aria-hidden=true], :disabled, [aria-disabled=true]') !== null)
      continue;
    const style = getComputedStyle(element);
    const ground = groundOf(element);
    let faint = 1;
    for (let at: Element | null = element; at !== null; at = at.parentElement)
      faint *= Number(getComputedStyle(at).opacity);
    if (faint === 0) continue;
    const [red, green, blue, alpha] = colorOf(style.color);
    const ink = over([red, green, blue, alpha * faint], ground);
    // Prose is read at length. Its links and its code have colors that mean something.
    const isProse =
      element.closest('.prose') !== null && element.closest('a, [role=link], pre, sup, .footnotes') === null;
    const size = Number.parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const wanted = isProse ? (large ? 4.5 : 7) : large ? 3 : 4.5;
    const has = ratio(ink, ground);
    const fault = `contrast of ${has.toFixed(2)} where ${wanted} is needed: ${told(element)}`;
    if (has < wanted - 0.005 && !seen.has(fault)) faults.push(fault);
    seen.add(fault);
  }
  return faults;
}
