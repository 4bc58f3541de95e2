import type { Exporting } from '../../state/dialogs';

/** The messages in the page's selection. Ids are '' if there are none; `lastId` is '' for a single one. */
export function selectedMessages(
  selection: Pick<Selection, 'isCollapsed' | 'rangeCount' | 'getRangeAt'> | null = getSelection(),
): Pick<Exporting, 'messageId' | 'lastId'> {
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) {
    return { messageId: '', lastId: '' };
  }
  const range = selection.getRangeAt(0);
  const first = messageOf(range.startContainer);
  const last = messageOf(range.endContainer);
  if (first === '' || last === '') return { messageId: '', lastId: '' };
  return { messageId: first, lastId: last === first ? '' : last };
}

function messageOf(node: Node): string {
  const element = node instanceof Element ? node : node.parentElement;
  return element?.closest<HTMLElement>('[data-message]')?.dataset['message'] ?? '';
}
