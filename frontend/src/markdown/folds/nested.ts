/** Folds inside a single block: complete on one line, or in a list or a quote. */
import type { MarkdownLabels } from '../labels';

/**
 * Turns them into disclosures. Folds that are blocks themselves are left alone; FoldHead.tsx renders them. `open`: they
 * start open.
 */
export function nestedFolds(root: DocumentFragment, labels: MarkdownLabels, open: boolean) {
  for (const line of root.querySelectorAll<HTMLElement>('.md-details-line')) {
    const summary = line.querySelector<HTMLElement>(':scope > .md-summary');
    if (summary !== null) line.replaceWith(disclosure(summary, [...line.childNodes], labels, open));
  }
  // In reverse order, so that the inner ones come first.
  for (const summary of [...root.querySelectorAll<HTMLElement>('.md-summary')].reverse()) {
    const { parentNode } = summary;
    if (parentNode === root || parentNode === null || summary.closest('summary') !== null) continue;
    const inner: ChildNode[] = [];
    let end: ChildNode | null = summary.nextSibling;
    for (; end !== null && !isEnd(end); end = end.nextSibling) inner.push(end);
    const before = document.createComment('');
    parentNode.insertBefore(before, summary);
    end?.remove();
    before.replaceWith(disclosure(summary, inner, labels, open));
  }
}

function isEnd(node: ChildNode): boolean {
  return node instanceof HTMLElement && node.className === 'md-details-end';
}

function disclosure(
  summary: HTMLElement,
  content: readonly ChildNode[],
  labels: MarkdownLabels,
  open: boolean,
): HTMLElement {
  const details = document.createElement('details');
  details.className = 'md-details';
  details.open = open || summary.dataset['mdOpen'] === 'true';
  const head = document.createElement('summary');
  head.append(...summary.childNodes);
  if (head.textContent.trim() === '') head.textContent = labels.details;
  details.append(head, ...content.filter((node) => node !== summary));
  summary.remove();
  return details;
}

/** Labels empty summaries. */
export function nameSummaries(root: ParentNode, labels: MarkdownLabels) {
  for (const summary of root.querySelectorAll<HTMLElement>('.md-summary'))
    if (summary.textContent.trim() === '') summary.textContent = labels.details;
}
