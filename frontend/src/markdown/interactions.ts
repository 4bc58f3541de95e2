/** Handles clicks inside rendered markdown. Nothing in it acts on its own; this is all that a click can do. */
import { codeViewOf } from './codeView';
import type { MarkdownLabels } from './labels';
import { isInlineImage, openableUrl } from './links';

const COPIED_MS = 1500;

export interface Interactions {
  readonly onOpenLink: (url: string) => void;
  readonly onCopy: (text: string) => Promise<void> | void;
  readonly labels: MarkdownLabels;
}

/** Listens on `root` and returns a function that stops it. `current` is read at every click. */
export function listen(root: HTMLElement, current: () => Interactions): () => void {
  const onClick = (event: MouseEvent) => {
    if (!(event.target instanceof Element)) return;
    const link = event.target.closest('a');
    if (link !== null) {
      // Whatever happens next, the window itself must never navigate.
      event.preventDefault();
      const url = openableUrl(link.getAttribute('href') ?? '');
      if (url !== undefined && event.button <= 1) current().onOpenLink(url);
      return;
    }
    if (event.button !== 0) return;
    const button = event.target.closest<HTMLElement>('button');
    if (button?.dataset['mdCopy'] !== undefined) void copy(button, current());
    else if (button?.dataset['mdLoad'] !== undefined) load(button, current());
  };
  root.addEventListener('click', onClick);
  root.addEventListener('auxclick', onClick);
  return () => {
    root.removeEventListener('click', onClick);
    root.removeEventListener('auxclick', onClick);
  };
}

async function copy(button: HTMLElement, { onCopy, labels }: Interactions) {
  const block = button.closest('.md-code');
  if (block === null) return;
  const code = codeViewOf(block)?.code ?? block.querySelector('code')?.textContent ?? '';
  try {
    await onCopy(code);
  } catch {
    return;
  }
  button.textContent = labels.copied;
  setTimeout(() => {
    button.textContent = labels.copy;
  }, COPIED_MS);
}

function load(button: HTMLElement, { onOpenLink }: Interactions) {
  const image = button.closest<HTMLElement>('.md-image');
  const address = image?.dataset['mdSrc'];
  if (image === null || address === undefined) return;
  if (isInlineImage(address)) {
    const element = document.createElement('img');
    element.src = address;
    element.alt = image.dataset['mdAlt'] ?? '';
    element.tabIndex = -1;
    image.replaceChildren(element);
    element.focus();
    return;
  }
  // The content security policy blocks remote images, so the browser opens it.
  const url = openableUrl(address);
  if (url !== undefined) onOpenLink(url);
}
