import type { Appearance } from '../transport/api';

/** Applies the appearance to the page. Returns a cleanup function. */
export function applyAppearance(appearance: Appearance): () => void {
  const root = document.documentElement;
  root.dataset['density'] = appearance.density;
  const scale = Math.min(150, Math.max(80, appearance.textScale));
  root.style.fontSize = `${(16 * scale) / 100}px`;
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const paint = () => {
    const theme = appearance.theme === 'system' ? (dark.matches ? 'dark' : 'light') : appearance.theme;
    root.dataset['theme'] = theme;
  };
  paint();
  dark.addEventListener('change', paint);
  return () => dark.removeEventListener('change', paint);
}
