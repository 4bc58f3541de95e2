import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Page, webkit } from '@playwright/test';

/** A page of WebKit's inspector server, in the words that Playwright knows. */
export class Inspector {
  readonly page: Page;
  private readonly proxy: Server;
  private constructor(page: Page, proxy: Server) {
    this.page = page;
    this.proxy = proxy;
  }

  /** Waits for the window's page at the inspector's port, and takes it over. */
  static async connect(port: number): Promise<Inspector> {
    let target = '';
    await expect(async () => {
      const list = await (await fetch(`http://127.0.0.1:${port}/`)).text();
      target = /\/socket\/\d+\/\d+\/WebPage/.exec(list)?.[0] ?? '';
      expect(target, 'the window has a page').not.toBe('');
    }).toPass({ intervals: [100], timeout: 90_000 });
    const proxy = createServer((_, response) => {
      const tab = {
        type: 'page',
        title: 'Weft',
        url: 'wails://wails/',
        webSocketDebuggerUrl: `ws://127.0.0.1:${port}${target}`,
      };
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify([tab]));
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const browser = await webkit.connectOverCDP(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    const page = browser.contexts()[0]?.pages()[0];
    if (page === undefined) throw new Error('the inspector shows no page');
    return new Inspector(page, proxy);
  }

  close(): void {
    this.proxy.closeAllConnections();
    this.proxy.close();
  }
}
