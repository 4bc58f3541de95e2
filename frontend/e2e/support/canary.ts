import { expect, type Page } from '@playwright/test';

declare global {
  interface Window {
    weftCanary: string[];
  }
}

/** Watches a page for everything that foreign text must never do to it. */
export class Canary {
  readonly happened: string[] = [];
  private readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  static async watch(page: Page, origin: string): Promise<Canary> {
    const canary = new Canary(page);
    const { happened } = canary;
    page.on('dialog', (dialog) => {
      happened.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('popup', (popup) => happened.push(`window: ${popup.url()}`));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${origin}/`) && !url.startsWith('data:') && !url.startsWith('blob:'))
        happened.push(`request: ${url}`);
      const known = /^\/($|begin\.js$|assets\/|api\/|blob\/|[\w-]+\.(svg|png|ico)$)/.test(
        new URL(url).pathname,
      );
      if (url.startsWith(origin) && !known) happened.push(`request: ${url}`);
    });
    page.on('framenavigated', (frame) => {
      if (frame !== page.mainFrame() || !/^\/$/.test(new URL(frame.url()).pathname))
        happened.push(`navigation: ${frame.url()}`);
    });
    page.on('download', (download) => happened.push(`download: ${download.url()}`));
    await page.addInitScript(() => {
      window.weftCanary = [];
      const sings = (name: string) => () => void window.weftCanary.push(name);
      Object.assign(window, {
        alert: sings('alert'),
        confirm: sings('confirm'),
        prompt: sings('prompt'),
        msgbox: sings('msgbox'),
        print: sings('print'),
      });
      // The policy would have stopped it; that it had to is already a hole.
      addEventListener('securitypolicyviolation', (event) => {
        window.weftCanary.push(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
      });
    });
    return canary;
  }

  /** Nothing happened, and nothing in the page could still happen. */
  async silent(where: string): Promise<void> {
    const { sung, odd } = await this.page.evaluate(look);
    expect(sung, `${where}: script or policy`).toEqual([]);
    expect(odd, `${where}: elements that do not belong there`).toEqual([]);
    expect(this.happened, `${where}: dialogs, requests, windows, navigation`).toEqual([]);
  }
}

/** What the page holds that could run, load or navigate. */
function look(): { sung: string[]; odd: string[] } {
  const odd: string[] = [];
  const own =
    '.shell button, .shell input, .shell textarea, .shell select, .shell form, [role=dialog] *, .menu *, [data-sonner-toast] *';
  for (const element of document.body.querySelectorAll('*')) {
    const tag = element.tagName.toLowerCase();
    // Formulas have a form for screen readers: checked nodes without addresses (see math/katex.ts).
    if (tag === 'math' && element.parentElement?.className === 'katex-mathml') continue;
    // The style sheet of a diagram while it is measured: it holds for its own id only.
    if (tag === 'style' && element.closest('.md-diagram-stage') !== null) continue;
    const say = (what: string) => odd.push(`${what}: ${element.outerHTML.slice(0, 160)}`);
    if (
      /^(script|iframe|frame|frameset|object|embed|base|meta|link|style|portal|applet|template|marquee|audio|video|source|foreignobject|animate|math|isindex|noscript|body)$/.test(
        tag,
      )
    ) {
      // The bundle itself, and style sheets of libraries, are at the end of the body or in the head.
      if (!(tag === 'script' && /^\.\/(assets\/|begin\.js$)/.test(element.getAttribute('src') ?? '')))
        say(tag);
    }
    if (/^(form|input|textarea|select|button)$/.test(tag) && !element.matches(own)) say('control');
    for (const { name, value } of element.attributes) {
      if (name.startsWith('on')) say('handler');
      const url = /^(href|src|action|formaction|xlink:href|data|ping|srcset|poster|background)$/.test(name);
      if (
        url &&
        !/^(https?:|mailto:|#|\/blob\/|\.?\/assets\/|data:image\/(png|jpeg|gif|webp)|blob:)/i.test(
          value.trim(),
        )
      )
        say(`address ${name}`);
      if (/^(src|srcset|poster|background|ping)$/.test(name) && /evil\.test/.test(value))
        say(`loads ${name}`);
      if (name === 'style' && /url\(/i.test(value)) say('style');
      if (
        name === 'style' &&
        /position:\s*(fixed|absolute)/i.test(value) &&
        element.closest('.prose, .detail') !== null
      )
        say('style');
    }
  }
  return { sung: [...window.weftCanary], odd };
}
