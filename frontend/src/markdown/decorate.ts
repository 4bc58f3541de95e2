/** Adds what HTML of the parser may not contain: buttons, names for screen readers, colored code. */
import { CodeView } from './codeView';
import { DiagramView } from './diagrams/diagramView';
import { nameSummaries, nestedFolds } from './folds/nested';
import type { MarkdownLabels } from './labels';
import { drawKnown, formulaOf } from './math/formulas';

/** Color for code inside an open block is redone with every update, so only short code gets it. */
const OPEN_COLOUR_LIMIT = 5 * 1024;

/**
 * Returns the views inside, which the caller disposes of. `finished`: nothing will change any more. `exact`: nothing is folded or drawn.
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
    const colour = finished || code.length <= OPEN_COLOUR_LIMIT;
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

/** What has to be given back when its block goes. */
export interface Disposable {
  dispose(): void;
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
