import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { build } from 'vite';

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript',
  css: 'text/css',
  woff2: 'font/woff2',
  svg: 'image/svg+xml',
};

/** The gallery, built from what is in the work tree and served from memory: nothing of it is written. */
export class BuiltGallery {
  private readonly server: Server;
  readonly url: string;

  private constructor(server: Server) {
    this.server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/gallery.html`;
  }

  static async serve(): Promise<BuiltGallery> {
    const root = resolve(import.meta.dirname, '../..');
    const built = await build({
      root,
      logLevel: 'error',
      build: { write: false, rolldownOptions: { input: resolve(root, 'gallery.html') } },
    });
    const outputs = [built].flat().flatMap((one) => ('output' in one ? one.output : []));
    const files = new Map(
      outputs.map((file) => [`/${file.fileName}`, file.type === 'chunk' ? file.code : file.source]),
    );
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
