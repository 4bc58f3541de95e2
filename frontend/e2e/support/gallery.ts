import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { relative, resolve } from 'node:path';
import { expect } from '@playwright/test';
import { build } from 'vite';

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript',
  css: 'text/css',
  woff2: 'font/woff2',
  svg: 'image/svg+xml',
};

type Files = Map<string, string | Uint8Array>;

/** The gallery, built once in a run of the tests from what is in the work tree. What is shipped is not touched. */
export class BuiltGallery {
  private readonly server: Server;
  readonly url: string;
  /** A page that shows how this machine draws. */
  readonly machine: string;

  private constructor(server: Server) {
    this.server = server;
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.url = `${origin}/gallery.html`;
    this.machine = `${origin}/machine.html`;
  }

  /** Serves the gallery; of several workers the first one builds it, into a folder that is emptied with each run. */
  static async serve(outputDir: string): Promise<BuiltGallery> {
    const folder = resolve(outputDir, '.gallery');
    const done = resolve(folder, 'done');
    mkdirSync(outputDir, { recursive: true });
    if (isFirst(folder)) {
      await buildInto(folder);
      writeFileSync(done, '');
    }
    await expect.poll(() => existsSync(done), { timeout: 200_000 }).toBe(true);
    const files: Files = new Map();
    for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const path = resolve(file.parentPath, file.name);
      files.set(`/${relative(folder, path).replaceAll('\\', '/')}`, readFileSync(path));
    }
    files.set('/machine.html', machinePage([...files.keys()]));
    const server = createServer(({ url = '' }, response) => {
      const path = new URL(url, 'http://gallery').pathname;
      const content = files.get(path);
      const type = types[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
      // The names of all but the page tell what is in them.
      const kept = type.startsWith('text/html') ? 'no-store' : 'max-age=3600, immutable';
      response.writeHead(content === undefined ? 404 : 200, { 'Content-Type': type, 'Cache-Control': kept });
      response.end(content);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return new BuiltGallery(server);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}

/** Whether nobody else has made the folder. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

async function buildInto(folder: string): Promise<void> {
  const root = resolve(import.meta.dirname, '../..');
  await build({
    root,
    logLevel: 'error',
    // Style sheets as they are shipped: colors come out of that otherwise than they went in. Scripts are read once, from this machine.
    build: {
      outDir: folder,
      emptyOutDir: false,
      copyPublicDir: false,
      minify: false,
      cssMinify: true,
      reportCompressedSize: false,
      rolldownOptions: { input: resolve(root, 'gallery.html') },
    },
  });
}

const samples = [12, 13, 15, 18, 24];

/**
 * Letters of Weft, lines, shadows and controls; and letters of the system, in lines and in an image. None of it is styled by Weft.
 * A line without letters is as high as its font says, so the body has one of Weft too.
 */
function machinePage(files: readonly string[]): string {
  const font = (name: string) => files.find((file) => file.includes(`/${name}-latin-wght-normal`)) ?? '';
  const face = (family: string, name: string) =>
    `@font-face { font-family: "${family}"; src: url("${font(name)}"); font-weight: 100 900 }`;
  const lines = (family: string, text: string) =>
    samples.map((size) => `<div style="font: 400 ${size}px/1.5 ${family}">${text}</div>`).join('');
  const image = `<svg xmlns='http://www.w3.org/2000/svg' width='200' height='24'><text y='16' font-family='sans-serif' font-size='14'>Apple tree 0123</text></svg>`;
  return `<!doctype html><meta charset="utf-8"><title>Machine</title><style>
    ${face('Text', 'inter')} ${face('Code', 'jetbrains-mono')}
    body { margin: 0; background: white; font-family: Text } div { white-space: nowrap } #own, #system { width: 480px; overflow: hidden; padding: 4px }
    .box { display: inline-block; width: 60px; height: 20px; margin: 4px; border: 1px solid #888; border-radius: 6px; box-shadow: 0 4px 12px #0004 }
  </style>
  <div id="own">${lines('Text', 'The quick brown fox 0123 fi')}${lines('Code', 'const fox = [0, 1]')}
    <i class="box"></i><i class="box" style="border-radius: 99px"></i><input type="checkbox" checked><input type="radio" checked><input type="range">
  </div>
  <div id="system">${lines('sans-serif', 'The quick brown fox 0123')}${lines('Text', '→ ↵ ⌘ ⇧ ✓ ✔ ✖ ▊')}
    <img alt="" src="data:image/svg+xml,${encodeURIComponent(image)}"></div>`;
}
