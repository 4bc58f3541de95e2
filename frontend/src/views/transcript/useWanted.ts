import { type RefObject, useEffect, useRef } from 'react';
import type { VirtualizerHandle } from 'virtua';
import { t } from '../../i18n';
import { sayFailed } from '../../state/notify';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Row } from './rows';

/** Space above the message that was gone to. */
const above = 12;

/** Goes to the message that the user wants to see, and reads as much of the space as that takes. */
export function useWanted(
  session: Session,
  rows: readonly Row[],
  list: RefObject<VirtualizerHandle | null>,
  hold: () => void,
): void {
  const weft = useWeft();
  const wanted = useStore(weft.shown, (state) =>
    state.wanted?.spaceId === session.spaceId ? state.wanted.messageId : null,
  );
  // The end is read again once at most: what is neither there nor before it is not there.
  const reopened = useRef<string | null>(null);
  useEffect(() => {
    if (wanted === null) return;
    const index = rows.findIndex((row) => 'message' in row && row.message.id === wanted);
    const row = rows[index];
    const { conversation } = session.store.get();
    const begins = row !== undefined && 'message' in row && row.message.firstSegment === 0;
    if (row !== undefined && (begins || !conversation.hasBefore)) {
      weft.shown.set({ wanted: null });
      hold();
      list.current?.scrollToIndex(index, { align: 'start', offset: -above });
      return;
    }
    const failed = (error: unknown) => {
      weft.shown.set({ wanted: null });
      sayFailed(t('failed.page'), error);
    };
    if (row === undefined && conversation.hasAfter && reopened.current !== wanted) {
      reopened.current = wanted;
      void session.open();
    } else if (conversation.hasBefore) {
      void session.loadBefore().catch(failed);
    }
    // Otherwise events that are under way bring it.
  }, [weft, session, wanted, rows, list, hold]);
}
