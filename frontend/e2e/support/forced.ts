/**
 * What has a color that the system has not given, in words. It runs in the page, so it uses nothing from outside of itself. Text and edges
 * have a color of the system as it is; grounds may be mixed of them.
 */
export function foreignColors(): string[] {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const known = new Map<string, readonly number[]>();
  const partsOf = (color: string): readonly number[] => {
    const before = known.get(color);
    if (before !== undefined || context === null) return before ?? [];
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const parts = [...context.getImageData(0, 0, 1, 1).data];
    known.set(color, parts);
    return parts;
  };
  const probe = document.createElement('i');
  probe.style.setProperty('transition', 'none', 'important');
  document.body.append(probe);
  const system = [
    ...[
      'Canvas',
      'CanvasText',
      'LinkText',
      'VisitedText',
      'GrayText',
      'Highlight',
      'HighlightText',
      'Mark',
      'MarkText',
    ],
    ...['ButtonFace', 'ButtonText', 'ButtonBorder', 'Field', 'FieldText', 'AccentColor', 'AccentColorText'],
  ].map((name) => {
    probe.style.color = name;
    return partsOf(getComputedStyle(probe).color).slice(0, 3);
  });
  probe.remove();
  // What is nearly transparent is not exact in a canvas.
  const near = (a: readonly number[], b: readonly number[]) =>
    a.every((part, i) => Math.abs(part - (b[i] ?? 0)) <= 6);
  const isSystems = (color: string) => {
    const parts = partsOf(color);
    return (parts[3] ?? 0) < 40 || system.some((one) => near(one, parts.slice(0, 3)));
  };
  /** A mix of two lies between them in each of its parts. */
  const isMixed = (color: string) => {
    if (isSystems(color)) return true;
    const parts = partsOf(color).slice(0, 3);
    return system.some((a) =>
      system.some((b) => {
        const share = (i: number) => ((parts[i] ?? 0) - (a[i] ?? 0)) / ((b[i] ?? 0) - (a[i] ?? 0));
        const shares = [0, 1, 2].filter((i) => a[i] !== b[i]).map(share);
        const [first = 0] = shares;
        return (
          shares.length > 0 &&
          first >= 0 &&
          first <= 1 &&
          near(
            parts,
            a.map((part, i) => part + first * ((b[i] ?? 0) - part)),
          )
        );
      }),
    );
  };
  const faults = new Set<string>();
  for (const element of document.body.querySelectorAll('*')) {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    // Pictures keep their colors, and so do the marks of a chart, which have patterns besides.
    if (
      element.closest(
        'img, canvas, svg *, script, style, .katex-html, .visually-hidden, [data-colors=own]',
      ) !== null
    )
      continue;
    const style = getComputedStyle(element);
    const name = `${element.tagName.toLowerCase()}.${[...element.classList].join('.')}`;
    const hasText = [...element.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && (node.textContent ?? '').trim() !== '',
    );
    if ((hasText || element instanceof SVGElement) && !isMixed(style.color))
      faults.add(`${name}: color ${style.color}`);
    if (!isMixed(style.backgroundColor)) faults.add(`${name}: ground ${style.backgroundColor}`);
    for (const side of ['Top', 'Right', 'Bottom', 'Left'] as const) {
      const drawn =
        style[`border${side}Style`] !== 'none' && Number.parseFloat(style[`border${side}Width`]) > 0;
      if (drawn && !isMixed(style[`border${side}Color`]))
        faults.add(`${name}: edge ${style[`border${side}Color`]}`);
    }
  }
  return [...faults];
}

/**
 * What shows no difference when it has the focus, in words: neither a ring nor an edge, of itself or of what is around it, and no entry of
 * its list. A key has to be pressed before, so that the browser shows the focus at all. It runs in the page.
 */
export async function unseenFocus(): Promise<string[]> {
  const still = document.createElement('style');
  still.textContent = '*, *::before, *::after { transition: none !important; animation: none !important }';
  document.head.append(still);
  const shown = (element: Element) =>
    element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const seen = (element: Element, pseudo?: string) => {
    const style = getComputedStyle(element, pseudo);
    const ring = style.outlineStyle === 'none' || style.outlineWidth === '0px' ? 'none' : style.outline;
    return [
      ring,
      style.boxShadow,
      style.borderColor,
      style.borderStyle,
      style.backgroundColor,
      style.opacity,
    ].join(' ');
  };
  const around = (element: Element) => {
    const all: string[] = [seen(element), seen(element, '::before'), seen(element, '::after')];
    for (let at = element.parentElement, n = 0; at !== null && n < 4; at = at.parentElement, n++)
      all.push(seen(at));
    const active = element.getAttribute('aria-activedescendant');
    const entries = [
      ...element.querySelectorAll('[aria-selected=true], [aria-current], [data-current]'),
      ...(active === null ? [] : [document.getElementById(active)]),
      ...(element.nextElementSibling === null ? [] : [element.nextElementSibling]),
    ];
    for (const entry of entries) if (entry !== null) all.push(seen(entry));
    return all.join('\n');
  };
  const focusable = [
    ...document.querySelectorAll<HTMLElement>(
      'a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex="-1"]), [role^=menuitem], [role=option][tabindex]',
    ),
  ].filter(
    (element) =>
      shown(element) &&
      !element.matches(':disabled, [data-base-ui-focus-guard], .drawer-backdrop, [data-forced]') &&
      element.closest('[inert], [aria-hidden=true], [data-base-ui-inert]') === null,
  );
  const faults: string[] = [];
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  for (const element of focusable) {
    if (!element.isConnected || !shown(element)) continue;
    (document.activeElement as HTMLElement | null)?.blur();
    const before = around(element);
    element.focus({ preventScroll: true });
    // A dialog keeps the focus within itself.
    if (document.activeElement !== element) continue;
    let after = around(element);
    if (after === before) {
      await frame();
      await frame();
      after = around(element);
    }
    // An entry of a menu, and what a field chooses from, stay marked for as long as they are open.
    const chooses = element.matches('[role=combobox]') ? element.closest('[role=dialog]') : null;
    const marked =
      element.matches('[data-highlighted]') || chooses?.querySelector('[aria-selected=true]') != null;
    if (after === before && !marked && document.activeElement === element) {
      const name = element.getAttribute('aria-label') ?? element.textContent ?? '';
      faults.push(
        `${element.tagName.toLowerCase()}.${[...element.classList].join('.')} "${name.trim().slice(0, 40)}"`,
      );
    }
  }
  still.remove();
  return [...new Set(faults)];
}
