/** Adds what HTML of the parser may not contain: buttons, names for screen readers, colored code. */
import { CodeView } from './codeView';
import type { MarkdownLabels } from './labels';

/** Color for code inside an open block is redone with every update, so only short code gets it. */
const OPEN_COLOUR_LIMIT = 5 * 1024;

/** Returns the code views inside, which the caller disposes of. `finished`: nothing will change any more. */
export function decorate(root: DocumentFragment, labels: MarkdownLabels, finished = false): CodeView[] {
  for (const mark of root.querySelectorAll<HTMLElement>('.md-task-mark')) {
    const done = mark.dataset['mdDone'] === 'true';
    mark.setAttribute('role', 'img');
    mark.setAttribute('aria-label', done ? labels.done : labels.open);
  }
  for (const table of root.querySelectorAll<HTMLElement>('.md-table')) {
    table.tabIndex = 0;
    table.setAttribute('role', 'group');
    table.setAttribute('aria-label', labels.table);
  }
  for (const notes of root.querySelectorAll('.md-footnotes'))
    notes.setAttribute('aria-label', labels.footnotes);
  for (const image of root.querySelectorAll<HTMLElement>('.md-image')) imageButton(image, labels);

  const views: CodeView[] = [];
  for (const pre of root.querySelectorAll<HTMLElement>('pre.md-code')) {
    const code = pre.textContent;
    const colour = finished || code.length <= OPEN_COLOUR_LIMIT;
    const view = new CodeView(colour ? (pre.dataset['mdLanguage'] ?? '') : '', labels);
    view.complete(code);
    if (finished) views.push(view);
    else view.release();
    pre.replaceWith(view.element);
  }
  return views;
}

/** "Image: alt – host – Load": nothing is fetched before the user asks for it. */
function imageButton(image: HTMLElement, labels: MarkdownLabels) {
  const alt = image.textContent;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'md-image-load';
  button.dataset['mdLoad'] = '';
  const parts = [alt, image.dataset['mdHost'] ?? ''].filter((part) => part !== '');
  button.textContent = `${labels.image}: ${[...parts, labels.load].join(' – ')}`;
  button.title = (image.dataset['mdSrc'] ?? '').slice(0, 500);
  image.dataset['mdAlt'] = alt;
  image.replaceChildren(button);
}
