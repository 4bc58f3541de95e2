import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Every engine that Weft runs in reads woff2: the other forms of KaTeX's fonts are left out. */
function woff2Only(): Plugin {
  return {
    name: 'weft-woff2-only',
    enforce: 'pre',
    transform(code, id) {
      if (!/katex.*\.css$/.test(id)) return undefined;
      return code.replace(/,\s*url\([^)]*\)\s*format\("(?:woff|truetype)"\)/g, '');
    },
  };
}

/** The gallery is at /gallery while developing. `vite build` has one page, which is index.html. */
const gallery: Plugin = {
  name: 'gallery',
  apply: 'serve',
  configureServer({ middlewares }) {
    middlewares.use((request, _, next) => {
      request.url = request.url?.replace(/^\/gallery(?=$|[?/])/, '/gallery.html');
      next();
    });
  },
};

/**
 * Writes parts.json: the folders of the packages that the bundle is made from. build/notices collects their licenses. It is beside dist, which
 * the program carries.
 */
function parts(): Plugin {
  let file = '';
  return {
    name: 'weft-parts',
    apply: ({ build }, { command }) => command === 'build' && build?.outDir === 'dist',
    configResolved({ root }) {
      file = resolve(root, 'parts.json');
    },
    generateBundle() {
      const folders = new Set<string>();
      for (const id of this.getModuleIds()) {
        const folder = /\/(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(
          id.replaceAll('\\', '/'),
        )?.[1];
        if (folder !== undefined) folders.add(folder);
      }
      writeFileSync(file, `${JSON.stringify([...folders].sort())}\n`);
    },
  };
}

/** The shortest form that zlib finds. How much memory gives it depends on the file: less of it makes shorter blocks, each with codes of its own. */
function packed(content: Buffer): Buffer {
  const forms = [4, 5, 6, 7, 8, 9].map((memLevel) => gzipSync(content, { level: 9, memLevel }));
  return forms.reduce((best, form) => (form.length < best.length ? form : best));
}

/** The binary carries scripts and styles compressed, which is a third of their size; see embed.go. */
function compressed(): Plugin {
  let assets = '';
  return {
    name: 'weft-compressed',
    // What is shipped; the tests build the gallery for themselves.
    apply: ({ build }, { command }) => command === 'build' && build?.outDir === 'dist',
    configResolved({ root, build }) {
      assets = resolve(root, build.outDir, build.assetsDir);
    },
    closeBundle() {
      for (const name of readdirSync(assets).filter((file) => /\.(?:js|css)$/.test(file))) {
        const path = resolve(assets, name);
        writeFileSync(`${path}.gz`, packed(readFileSync(path)));
        rmSync(path);
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), woff2Only(), gallery, parts(), compressed()],
  // Relative addresses: the same bundle is served at the root of the window and by `weft serve`.
  base: './',
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The oldest engine that Weft runs in is WebKitGTK 2.40 (Safari 16.4).
    target: ['es2022', 'safari16.4', 'chrome111'],
    // The content security policy has no data: for fonts and scripts, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What the first screen needs is one file: each request of the window's web view goes through two other processes.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } } },
    chunkSizeWarningLimit: 1500,
  },
});
