import type { ITheme } from '@xterm/xterm';

const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

/** The theme colors for the terminal library, which doesn't support oklch. */
export function themeOf(element: Element): ITheme {
  const style = getComputedStyle(element);
  const token = (name: string) => hex(style.getPropertyValue(name).trim());
  const theme: Record<string, string> = {
    background: token('--sunken'),
    foreground: token('--ink'),
    cursor: token('--ink-3'),
    selectionBackground: token('--chosen'),
    ...(matchMedia('(forced-colors: active)').matches && { selectionForeground: hex('HighlightText') }),
    scrollbarSliderBackground: token('--line-strong'),
    scrollbarSliderHoverBackground: token('--ink-3'),
    scrollbarSliderActiveBackground: token('--ink-3'),
    overviewRulerBorder: token('--sunken'),
  };
  for (const name of names) {
    theme[name] = token(`--ansi-${name}`);
    theme[`bright${name.charAt(0).toUpperCase()}${name.slice(1)}`] = token(`--ansi-${name}`);
  }
  return theme;
}

/** The code font in the size used in output boxes. */
export function fontOf(element: Element): { fontFamily: string; fontSize: number; lineHeight: number } {
  const style = getComputedStyle(element);
  return { fontFamily: style.fontFamily, fontSize: Number.parseFloat(style.fontSize), lineHeight: 1.15 };
}

/** Converts a color to hex by painting it on a canvas. */
function hex(colour: string): string {
  const canvas = document.createElement('canvas');
  canvas.width = 1;
  canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) return '#808080';
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [r = 0, g = 0, b = 0] = context.getImageData(0, 0, 1, 1).data;
  return `#${[r, g, b].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
