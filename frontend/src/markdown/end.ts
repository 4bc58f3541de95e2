/** Finds where a text continues: the cursor of a streaming text is drawn there. */

/**
 * Marks the element that the next word of a block goes into. Returns whether the block ends with a box (code or a
 * table) instead, in which case the next word follows it. The style sheet uses the mark, because a nested :last-child
 * selector would make a browser match the whole block again with each word.
 */
export function markEnd(block: ParentNode): boolean {
  const last = block.lastElementChild;
  if (last === null) return false;
  endOf(last)?.setAttribute('data-md-end', '');
  return last.matches('.md-code, .md-table');
}

function endOf(last: Element): Element | undefined {
  switch (last.tagName) {
    case 'P':
    case 'H3':
    case 'H4':
    case 'H5':
    case 'H6':
      return last;
    case 'UL':
    case 'OL':
      return endOfItem(last.lastElementChild);
    case 'BLOCKQUOTE':
      return paragraph(last.lastElementChild);
    default:
      return undefined;
  }
}

/** A tight item contains its text directly, a loose one in paragraphs. */
function endOfItem(item: Element | null): Element | undefined {
  if (item?.tagName !== 'LI') return undefined;
  const loose = [...item.children].some(({ tagName }) => tagName === 'P');
  return loose ? paragraph(item.lastElementChild) : item;
}

function paragraph(element: Element | null): Element | undefined {
  return element?.tagName === 'P' ? element : undefined;
}
