import { useEffect, useState } from 'react';

/** Colors and fonts of a chart for a canvas, from the tokens. */
export interface Look {
  readonly ink: string;
  readonly quiet: string;
  readonly line: string;
  readonly page: string;
  readonly font: string;
  /** In CSS pixels. */
  readonly size: number;
  colour(token: string): string;
}

export function lookOf(element: Element): Look {
  const style = getComputedStyle(element);
  const token = (name: string) => style.getPropertyValue(name).trim() || '#808080';
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
  return {
    ink: token('--ink'),
    quiet: token('--ink-3'),
    line: token('--line'),
    page: token('--page'),
    font: style.fontFamily,
    size: rem * 0.6875,
    colour: token,
  };
}

const contrasts = ['(prefers-contrast: more)', '(forced-colors: active)'];

/** Increments when theme, density, text size or contrast change, so that canvases are redrawn. */
export function useLookChanges(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const changed = () => setChanges((n) => n + 1);
    const observer = new MutationObserver(changed);
    const attributeFilter = ['data-theme', 'data-density', 'style'];
    observer.observe(document.documentElement, { attributes: true, attributeFilter });
    const media = contrasts.map((query) => window.matchMedia?.(query));
    for (const one of media) one?.addEventListener('change', changed);
    // Text measured before its font has loaded has the wrong width.
    document.fonts?.addEventListener('loadingdone', changed);
    return () => {
      observer.disconnect();
      for (const one of media) one?.removeEventListener('change', changed);
      document.fonts?.removeEventListener('loadingdone', changed);
    };
  }, []);
  return changes;
}
