/** What is scrolled in both directions by its nature: code, tables, terminals, diagrams, and a log. It runs in the page, as all here does. */
export function overflowing(): string[] {
  const wide =
    'pre, table, .code-box, .table-display, .terminal-view, .md-table, .change-lines, .diff, .chart-display, .md-math, .log';
  const faults: string[] = [];
  const name = (element: Element) => `${element.tagName.toLowerCase()}.${[...element.classList].join('.')}`;
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth + 1)
    faults.push(`the page is ${root.scrollWidth} wide of ${root.clientWidth}`);
  for (const element of document.body.querySelectorAll('*')) {
    if (!element.checkVisibility({ visibilityProperty: true }) || element.closest(wide) !== null) continue;
    const { overflowX } = getComputedStyle(element);
    const more = element.scrollWidth - element.clientWidth;
    if (
      (overflowX === 'auto' || overflowX === 'scroll') &&
      more > 1 &&
      element.querySelector(`:scope > :is(${wide})`) === null
    )
      faults.push(`${name(element)} is scrolled to the side by ${more}`);
  }
  return faults;
}

/** What can have the focus and can't be brought into view by scrolling, in words. */
export function unreachable(): string[] {
  const faults = new Set<string>();
  const dialogs = [...document.querySelectorAll('[role=dialog], [role=alertdialog]')];
  const within: ParentNode = dialogs.at(-1) ?? document;
  const focusable = 'a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex="-1"])';
  for (const element of within.querySelectorAll<HTMLElement>(focusable)) {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: false })) continue;
    if (element.matches('[data-base-ui-focus-guard], .drawer-backdrop, :disabled, [role=separator]'))
      continue;
    if (
      element.closest(
        '[aria-hidden=true], [inert], [data-base-ui-inert], .visually-hidden, [data-sonner-toaster]',
      ) !== null
    )
      continue;
    const { position, opacity } = getComputedStyle(element);
    if (position === 'absolute' && opacity === '0') continue;
    const hidden: [Element, number, number][] = [];
    for (let at = element.parentElement; at !== null; at = at.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(at);
      if (/hidden|clip/.test(`${overflowX} ${overflowY}`)) hidden.push([at, at.scrollLeft, at.scrollTop]);
    }
    element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
    const moved = hidden.some(
      ([at, x, y]) =>
        (/hidden|clip/.test(getComputedStyle(at).overflowX) && Math.abs(at.scrollLeft - x) > 1) ||
        (/hidden|clip/.test(getComputedStyle(at).overflowY) && Math.abs(at.scrollTop - y) > 1),
    );
    const seenX = Math.min(right, innerWidth) - Math.max(left, 0);
    const seenY = Math.min(bottom, innerHeight) - Math.max(top, 0);
    const text = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40);
    const said = `${element.tagName.toLowerCase()}.${[...element.classList].join('.')} "${text}"`;
    if (width > 1 && (seenX < Math.min(width - 2, 16) || seenY < Math.min(height - 2, 16)))
      faults.add(
        `${said} is outside: ${Math.round(left)}, ${Math.round(top)}, ${Math.round(width)} × ${Math.round(height)}`,
      );
    else if (moved) {
      faults.add(`${said} is cut off`);
      for (const [at, x, y] of hidden) at.scrollTo(x, y);
    }
  }
  return [...faults];
}

/** What moves, in words: nothing may where less motion is asked for. */
export function moving(): string[] {
  return document
    .getAnimations()
    .filter(({ playState, effect }) => {
      const { duration = 0, iterations = 1 } = effect?.getComputedTiming() ?? {};
      return playState === 'running' && (Number(duration) > 1 || iterations === Number.POSITIVE_INFINITY);
    })
    .map((one) => {
      const { target } = one.effect as KeyframeEffect;
      return `${(one as CSSAnimation).animationName ?? 'transition'} moves ${target?.tagName}.${target?.className}`;
    });
}
