/** What is wrong with the focus, in words, or nothing. It runs in the page, so it uses nothing from outside of itself. */
export function faultOfFocus(): string {
  const element = document.activeElement;
  if (element === null || element === document.body) return 'nothing has the focus';
  const words = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 30);
  const name = `${element.tagName.toLowerCase()}.${element.className} "${words}"`;
  if (element.matches(':disabled')) return `${name} is disabled`;
  const box = element.getBoundingClientRect();
  const [top, left] = [Math.max(box.top, 0), Math.max(box.left, 0)];
  const [bottom, right] = [Math.min(box.bottom, innerHeight), Math.min(box.right, innerWidth)];
  if (!element.checkVisibility() || bottom <= top || right <= left) return `${name} is not in view`;

  const control =
    'a, button, input, select, textarea, summary, [role=separator], [role=slider], [contenteditable]';
  const parts = 'img, svg, canvas, iframe, input, textarea';
  if (
    !element.matches(control) &&
    element.textContent?.trim() === '' &&
    element.querySelector(parts) === null
  )
    return `${name} is empty`;

  // Something of it is seen: it is neither below something else, nor scrolled out of what it is in.
  const shares = [0.04, 0.5, 0.96];
  const over = new Set<string>();
  const seen = shares.some((down) =>
    shares.some((along) => {
      const at = document.elementFromPoint(left + (right - left) * along, top + (bottom - top) * down);
      if (at === null || element.contains(at) || at.contains(element)) return true;
      const part = at.closest('[data-sonner-toast]') === null ? '' : ' of a toast';
      over.add(`${at.tagName.toLowerCase()}.${at.getAttribute('class')}${part}`);
      return false;
    }),
  );
  if (!seen) return `${name} is covered by ${[...over].join(', ')}`;

  // A field draws its ring around itself and its buttons; a list and a panel show which of their entries is meant.
  const probe = document.createElement('i');
  probe.style.color = 'var(--accent)';
  document.body.append(probe);
  const accent = getComputedStyle(probe).color;
  probe.remove();
  const ring = (one: Element) => {
    const { outlineStyle, boxShadow, borderTopColor, borderTopStyle } = getComputedStyle(one);
    return (
      outlineStyle !== 'none' ||
      boxShadow !== 'none' ||
      (borderTopStyle !== 'none' && borderTopColor === accent)
    );
  };
  const around = element.matches('input, textarea')
    ? element.closest('.composer, .search, .field, .segment, label, form')
    : null;
  const list = element.matches('[role=combobox]') ? element.closest('[role=dialog]') : element;
  const head = element.matches('.side') ? element.querySelector('.side-head') : null;
  const within = list?.querySelector('[aria-selected=true], [aria-current], [data-current]') != null;
  const marked =
    element.matches('[data-highlighted], [data-selected=true]') ||
    // The field of the palette is the only one there, and has the caret.
    element.matches('[role=dialog] [role=combobox]');
  // The edge of a panel becomes a line.
  const edge = element.matches('[role=separator]') && getComputedStyle(element, '::after').opacity !== '0';
  const rings = [element, around, head].some((one) => one !== null && ring(one));
  if (!rings && !within && !marked && !edge) return `${name} shows no focus`;
  return '';
}
