/**
 * Draws hostile texts in the whole window, over a backend that says what it is told to. `window.__hostile(surface, text, size)` streams a
 * text in pieces of that size, one a frame, and resolves once everything is drawn; see hostile.mjs, which measures the tasks in between.
 */
import '../src/gallery/clock';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import '../src/theme/tokens.css';
import '../src/theme/base.css';
import '../src/theme/parts.css';
import { createRoot } from 'react-dom/client';
import { GalleryTransport } from '../src/gallery/backend';
import { answers } from '../src/gallery/data/answers';
import { runAction } from '../src/keyboard/actions';
import { grammars } from '../src/markdown/testing/grammars';
import { hostileMarkdown } from '../src/markdown/testing/hostile';
import { Weft, WeftContext } from '../src/state/weft';
import { applyAppearance } from '../src/theme/appearance';
import type { Event } from '../src/transcript/types';
import type { Sink } from '../src/transport/transport';
import { Shell } from '../src/views/shell/Shell';
import { SPACE, surfaces } from './hostile/surfaces';

declare global {
  interface Window {
    __hostile?: (surface: string, text: string, size: number) => Promise<void>;
    __surfaces?: readonly string[];
    /** All constructs of a length, and a text of a length from a seed. */
    __grammars?: (length: number) => [name: string, text: string][];
    __text?: (seed: number, length: number) => string;
  }
}

/** Hands on what is pushed, after what the scene has. */
class Live extends GalleryTransport {
  #sink: Sink<Event> | undefined;

  override watch(spaceId: string, place: () => { seq: number }, sink: Sink<Event>): () => void {
    const stop = super.watch(spaceId, place, sink);
    if (spaceId === SPACE) this.#sink = sink;
    return stop;
  }

  push(events: readonly Event[]) {
    if (this.#sink === undefined) throw new Error('nobody watches the space');
    this.#sink.events(events);
  }
}

const host = document.getElementById('root');
if (host === null) throw new Error('no #root');
let root = createRoot(host);

/** Resolves once a selector finds something. */
async function found(selector: string): Promise<HTMLElement> {
  for (let i = 0; i < 600; i++) {
    const element = document.querySelector<HTMLElement>(selector);
    if (element !== null) return element;
    await frame();
  }
  throw new Error(`nothing found by ${selector}`);
}

/** What is answered where a blob is asked for. */
let blob = '';
globalThis.fetch = async (_, init) => {
  const range = /bytes=(-?)(\d+)/.exec(new Headers(init?.headers).get('Range') ?? '');
  return new Response(range?.[1] === '-' ? blob.slice(-Number(range[2])) : blob);
};

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

/** Resolves once so many frames in a row came in time. */
async function idle(frames: number) {
  let before = performance.now();
  for (let quick = 0; quick < frames; ) {
    await frame();
    const now = performance.now();
    quick = now - before < 40 ? quick + 1 : 0;
    before = now;
  }
}

/** Something that always takes as long, by which a busy machine can be told from a slow page. */
function reference() {
  performance.mark('hostile-reference');
  const box = document.createElement('div');
  box.style.cssText = 'position: absolute; width: 700px; visibility: hidden';
  box.textContent = 'some words of a text '.repeat(3000);
  document.body.append(box);
  box.getBoundingClientRect();
  box.remove();
}

window.__grammars = (length) => [...grammars(length)].map(([name, text]) => [name, text]);
window.__text = hostileMarkdown;
window.__surfaces = Object.keys(surfaces);
window.__hostile = async (name, text, size) => {
  const make = surfaces[name];
  if (make === undefined) throw new Error(`no surface ${name}`);
  const { scene, steps, prepare, goes, clicksFirst = [], clicks = [], keys, scroll } = make(text, size);
  blob = text;
  localStorage.clear();
  root.unmount();
  root = createRoot(host);
  await idle(5);
  if (steps.length === 0) performance.mark('hostile-begin');
  const transport = new Live(scene, answers(scene));
  const weft = new Weft(transport);
  weft.start();
  root.render(
    <WeftContext value={weft}>
      <Shell />
    </WeftContext>,
  );
  await found('.sidebar');
  await idle(5);
  if (prepare === undefined) {
    weft.select(SPACE);
    await found('.composer-field');
    await idle(3);
  } else prepare(weft);
  if (steps.length > 0) performance.mark('hostile-begin');
  goes?.(weft);
  for (const [i, step] of steps.entries()) {
    if (i === 2) for (const selector of clicksFirst) (await found(selector)).click();
    if (step.length > 0) transport.push(step);
    await frame();
  }
  for (const selector of clicks) {
    await idle(3);
    (await found(selector)).click();
  }
  if (keys !== undefined) {
    const [action, selector, typed] = keys;
    await idle(3);
    runAction(action);
    const field = (await found(selector)) as HTMLInputElement;
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, typed);
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  }
  if (scroll === true) {
    await idle(3);
    const box = await found('.transcript-scroll');
    for (let i = 0; i < 40; i++) {
      box.scrollTop -= 700;
      await frame();
    }
  }
  await idle(12);
  performance.mark('hostile-end');
  for (let i = 0; i < 3; i++) {
    await frame();
    reference();
  }
  await frame();
};

applyAppearance({
  theme: 'light',
  density: 'comfortable',
  textScale: 100,
  thoughts: 'in-place',
  language: 'system',
});
const letters = ['400 1rem "Inter Variable"', '400 1rem "JetBrains Mono Variable"'];
await Promise.all(letters.map((font) => document.fonts.load(font)));
document.documentElement.dataset['ready'] = '';
