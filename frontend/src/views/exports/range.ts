import type { ExportRequest } from '../../commands/exports';
import type { Exporting } from '../../state/dialogs';

/** Which messages: all, only the given one, from it on, up to it, or the selected ones. */
export type Range = 'all' | 'one' | 'from' | 'to' | 'chosen';

/** Converts a range of the dialog for the backend. */
export function rangeOf(
  range: Range,
  { messageId, lastId }: Pick<Exporting, 'messageId' | 'lastId'>,
): Pick<ExportRequest, 'from' | 'to'> {
  switch (range) {
    case 'one':
      return { from: messageId, to: messageId };
    case 'chosen':
      return { from: messageId, to: lastId };
    case 'from':
      return { from: messageId, to: '' };
    case 'to':
      return { from: '', to: messageId };
    default:
      return { from: '', to: '' };
  }
}
