/**
 * Shows a diagram for a mermaid fence: the code block stays, with buttons to switch between diagram and source. The
 * source is shown until the diagram is ready, and permanently if it fails.
 */
import type { CodeView } from '../codeView';
import type { MarkdownLabels } from '../labels';
import { escapeBidi } from '../links';
import type { DiagramLook, DrawnDiagram } from './mermaid';

/** Longer sources are not drawn, in characters. */
const LONGEST = 50 * 1024;
const MOST_MS = 10_000;
/** Number of cached diagrams, so that a row that is mounted again is not redrawn. */
const KEPT = 40;

const known = new Map<string, DrawnDiagram | Error>();
/** Draws one diagram at a time, because drawing blocks the page. */
let queue: Promise<unknown> = Promise.resolve();

export class DiagramView {
  readonly #code: CodeView;
  readonly #labels: MarkdownLabels;
  readonly #box = document.createElement('div');
  readonly #image = document.createElement('img');
  #seen: IntersectionObserver | undefined;
  #theme: MutationObserver | undefined;
  #address: string | undefined;
  #buttons: HTMLButtonElement[] = [];
  #disposed = false;

  constructor(code: CodeView, labels: MarkdownLabels) {
    this.#code = code;
    this.#labels = labels;
    this.#box.className = 'md-diagram';
    this.#box.tabIndex = 0;
    this.#box.setAttribute('role', 'group');
    this.#box.setAttribute('aria-label', labels.diagram);
    this.#image.decoding = 'async';
    this.#box.append(this.#image);
    if (code.length > LONGEST || code.code.trim() === '') return;
    const found = known.get(keyOf(code.code));
    if (found !== undefined) {
      this.#show(found);
      this.#follow();
    } else this.#whenSeen();
  }

  dispose(): void {
    this.#disposed = true;
    this.#seen?.disconnect();
    this.#theme?.disconnect();
    if (this.#address !== undefined) URL.revokeObjectURL(this.#address);
  }

  #whenSeen(): void {
    if (typeof IntersectionObserver === 'undefined') return;
    this.#seen = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        this.#seen?.disconnect();
        void this.#draw();
        this.#follow();
      },
      { rootMargin: '200px' },
    );
    this.#seen.observe(this.#code.element);
  }

  /** Redraws it when the theme changes. */
  #follow(): void {
    this.#theme = new MutationObserver(() => void this.#draw());
    this.#theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  }

  async #draw(): Promise<void> {
    const source = this.#code.code;
    const key = keyOf(source);
    let found = known.get(key);
    if (found === undefined) {
      const drawing = queue.then(() => (this.#disposed ? undefined : drawn(source)));
      queue = drawing;
      found = await drawing;
      if (found === undefined) return;
      const oldest = known.size >= KEPT ? known.keys().next().value : undefined;
      if (oldest !== undefined) known.delete(oldest);
      known.set(key, found);
    }
    if (!this.#disposed && key === keyOf(source)) this.#show(found);
  }

  #show(found: DrawnDiagram | Error): void {
    const { element, language } = this.#code;
    if (found instanceof Error) {
      element.querySelector('.md-diagram-error')?.remove();
      const note = document.createElement('p');
      note.className = 'md-diagram-error';
      note.textContent = `${this.#labels.diagramFailed} ${this.#reason(found)}`;
      element.append(note);
      return;
    }
    const before = this.#address;
    this.#address = URL.createObjectURL(new Blob([found.svg], { type: 'image/svg+xml' }));
    this.#image.src = this.#address;
    this.#image.width = found.width;
    this.#image.height = found.height;
    const kind = /^\s*([\w-]+)/m.exec(this.#code.code.replace(/^---\n[\s\S]*?\n---\n|^\s*%%.*$/gm, ''))?.[1];
    this.#image.alt = `${this.#labels.diagram}: ${kind ?? language}`;
    if (before !== undefined) {
      URL.revokeObjectURL(before);
      return;
    }
    this.#head();
    element.append(this.#box);
    this.#choose('diagram');
  }

  #reason({ name, message }: Error): string {
    if (name === 'refused') return this.#labels.diagramRefused;
    if (name === 'slow') return this.#labels.diagramSlow;
    const line = /(?:parse|lexical|lexer) error on line (\d+)/i.exec(message)?.[1];
    if (line !== undefined) {
      // The library's line numbers skip comments and settings, and go past the end if something is missing there.
      if (/^\s*\n|^---|%%/.test(this.#code.code)) return this.#labels.diagramError;
      const past = Number(line) > this.#code.code.trimEnd().split('\n').length;
      return past ? this.#labels.diagramEnd : this.#labels.diagramLine(Number(line));
    }
    return escapeBidi((message.split('\n', 1)[0] ?? '').slice(0, 300).replace(/[:\s]+$/, '.'));
  }

  #head(): void {
    const { diagram, source } = this.#labels;
    const choice = document.createElement('span');
    choice.className = 'md-diagram-choice';
    choice.setAttribute('role', 'group');
    choice.setAttribute('aria-label', this.#labels.diagramView);
    this.#buttons = (['diagram', 'source'] as const).map((what) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'md-code-copy';
      button.dataset['mdShows'] = what;
      button.textContent = what === 'diagram' ? diagram : source;
      button.addEventListener('click', () => this.#choose(what));
      choice.append(button);
      return button;
    });
    this.#code.element.querySelector('.md-code-copy')?.before(choice);
  }

  #choose(what: string): void {
    this.#code.element.dataset['mdShows'] = what;
    for (const button of this.#buttons)
      button.setAttribute('aria-pressed', String(button.dataset['mdShows'] === what));
  }
}

function isDark(): boolean {
  return document.documentElement.dataset['theme'] === 'dark';
}

function keyOf(source: string): string {
  return `${isDark() ? 'dark' : 'light'}\n${source}`;
}

async function drawn(source: string): Promise<DrawnDiagram | Error | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error(), { name: 'slow' })), MOST_MS);
  });
  try {
    const { drawDiagram } = await import('./mermaid');
    return await Promise.race([drawDiagram(source, currentLook()), late]);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    clearTimeout(timer);
  }
}

/** Theme colors in a format for libraries that don't support oklch. */
function currentLook(): DiagramLook {
  const style = getComputedStyle(document.documentElement);
  const canvas = document.createElement('canvas');
  canvas.width = 1;
  canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const colour = (token: string) => {
    if (context === null) return '#808080';
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = '#808080';
    context.fillStyle = style.getPropertyValue(token).trim();
    context.fillRect(0, 0, 1, 1);
    const [r = 0, g = 0, b = 0] = context.getImageData(0, 0, 1, 1).data;
    return `#${[r, g, b].map((n) => n.toString(16).padStart(2, '0')).join('')}`;
  };
  return { dark: isDark(), colour };
}
