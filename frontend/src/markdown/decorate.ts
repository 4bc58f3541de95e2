/** Adds what the parser's HTML may not contain: buttons, accessible names, highlighted code. */
import { CodeView } from './codeView';
import { DiagramView } from './diagrams/diagramView';
import { nameSummaries, nestedFolds } from './folds/nested';
import type { MarkdownLabels } from './labels';
import { drawKnown, formulaOf } from './math/formulas';

/** Code inside an open block is highlighted again on every update, so only short code is. */
const OPEN_COLOR_LIMIT = 5 * 1024;

/**
 * Returns the views inside, which the caller must dispose of. `finished`: nothing will change anymore. `exact`: no
 * folds, formulas or diagrams.
 */
export function decorate(
  root: DocumentFragment,
  labels: MarkdownLabels,
  finished = false,
  exact = false,
): Disposable[] {
  nestedFolds(root, labels, exact);
  nameSummaries(root, labels);
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

  const views: Disposable[] = [];
  for (const pre of root.querySelectorAll<HTMLElement>('pre.md-code')) {
    const code = pre.textContent;
    if (finished && !exact && pre.dataset['mdLanguage'] === 'math') {
      pre.replaceWith(formulaOf(code));
      continue;
    }
    const colour = finished || code.length <= OPEN_COLOR_LIMIT;
    const view = new CodeView(colour ? (pre.dataset['mdLanguage'] ?? '') : '', labels);
    view.complete(code);
    if (finished) views.push(view);
    else view.release();
    pre.replaceWith(view.element);
    if (finished && !exact && view.language === 'mermaid') views.push(new DiagramView(view, labels));
  }
  if (!exact) drawKnown(root, labels);
  return views;
}

/** A resource to release when its block is removed. */
export interface Disposable {
  dispose(): void;
}

/** "Image: alt – host – Load": nothing is loaded until the user asks for it. */
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
