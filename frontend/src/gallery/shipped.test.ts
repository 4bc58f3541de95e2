import { expect, test } from 'vitest';
import page from '../../index.html?raw';
import config from '../../vite.config';

// The gallery is for developers: the shipped app is built from index.html, and nothing reachable from there imports the
// gallery.

const sources = import.meta.glob<string>(['../**/*.{ts,tsx,css}', '!./**'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

test('a build has one page, which is not the gallery', () => {
  expect(config).not.toHaveProperty('build.rolldownOptions.input');
  expect(config).not.toHaveProperty('build.rollupOptions');
  const scripts = [...page.matchAll(/<script[^>]*src="([^"]+)"/g)].map(([, src]) => src);
  expect(scripts).toEqual(['/begin.js', '/src/main.tsx']);
});

test('nothing outside of the gallery imports it', () => {
  const importing = Object.entries(sources).filter(([, source]) => /['"][^'"\n]*\/gallery\//.test(source));
  expect(Object.keys(sources).length).toBeGreaterThan(400);
  expect(importing.map(([path]) => path)).toEqual([]);
});
