/**
 * Draws the formulas of a block. They show their source at first, and are drawn as soon as KaTeX is loaded and a frame
 * has time. Formulas that were drawn before are drawn together with the block. A formula that can't be drawn keeps its
 * source.
 */
import { chargeFrame, frameHasTime } from '../frameBudget';
import type { MarkdownLabels } from '../labels';
import { escapeBidi } from '../links';

type Draw = typeof import('./katex')['draw'];

/** Most formulas of a block that are drawn. Each becomes many nodes. */
const MOST = 300;
/** Most drawn formulas that are cached. */
const KEPT = 1000;

let draw: Draw | undefined;
let loading: Promise<void> | undefined;

/** Loads KaTeX. */
export function loadMath(): Promise<void> {
  loading ??= import('./katex').then(
    (module) => {
      draw = module.draw;
    },
    () => {
      // Retried with the next formula.
      loading = undefined;
    },
  );
  return loading;
}

type Drawn = { readonly nodes: DocumentFragment } | { readonly error: string };

const known = new Map<string, Drawn>();

function drawn(key: string, tex: string, display: boolean, make: Draw): Drawn {
  let found = known.get(key);
  if (found === undefined) {
    try {
      found = { nodes: make(tex, display) };
    } catch (error) {
      found = { error: error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : '' };
    }
    const oldest = known.size >= KEPT ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
    known.set(key, found);
  }
  return found;
}

/** Creates the formula of a fence, showing its source. */
export function formulaOf(code: string): HTMLElement {
  const element = document.createElement('div');
  element.className = 'md-math';
  element.dir = 'ltr';
  element.dataset['mdTex'] = code.trim();
  element.dataset['mdDisplay'] = '';
  element.textContent = escapeBidi(code);
  return element;
}

function formulasIn(root: ParentNode): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>('.md-math:not([data-md-drawn])')].slice(0, MOST);
}

/** Draws the formulas that are cached. */
export function drawKnown(root: ParentNode, labels: MarkdownLabels) {
  if (draw === undefined) return;
  for (const element of formulasIn(root)) {
    const found = known.get(keyOf(element));
    if (found !== undefined) show(element, found, labels);
  }
}

/** Draws all formulas below an element, over as many frames as it takes. Returns a function that stops it. */
export function drawAll(root: ParentNode, labels: MarkdownLabels, done?: () => void): () => void {
  let stopped = false;
  let frame: number | undefined;
  const elements = formulasIn(root);
  if (elements.length === 0) return () => {};
  const work = () => {
    if (stopped || draw === undefined) return;
    const make = draw;
    while (frameHasTime()) {
      const element = elements.shift();
      if (element === undefined) {
        done?.();
        return;
      }
      if (element.dataset['mdDrawn'] !== undefined) continue;
      chargeFrame(() => {
        const { tex, display } = read(element);
        show(element, drawn(keyOf(element), tex, display, make), labels);
      });
    }
    frame = requestAnimationFrame(work);
  };
  if (draw === undefined) void loadMath().then(work);
  else work();
  return () => {
    stopped = true;
    if (frame !== undefined) cancelAnimationFrame(frame);
  };
}

function read(element: HTMLElement) {
  return { tex: element.dataset['mdTex'] ?? '', display: element.dataset['mdDisplay'] !== undefined };
}

function keyOf(element: HTMLElement): string {
  const { tex, display } = read(element);
  return `${display ? 'd' : 'i'}${tex}`;
}

function show(element: HTMLElement, found: Drawn, labels: MarkdownLabels) {
  if ('error' in found) {
    element.dataset['mdDrawn'] = 'failed';
    element.title = `${labels.formulaFailed} ${found.error}`.trim();
    return;
  }
  element.dataset['mdDrawn'] = '';
  // The source, which is what gets selected and copied.
  const source = document.createElement('span');
  source.className = 'md-math-source';
  source.setAttribute('aria-hidden', 'true');
  source.textContent = element.textContent;
  element.replaceChildren(source, found.nodes.cloneNode(true));
  if (!read(element).display) return;
  element.tabIndex = 0;
  element.setAttribute('role', 'group');
  element.setAttribute('aria-label', labels.formula);
}
