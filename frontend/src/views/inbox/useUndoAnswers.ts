import { useEffect, useRef } from 'react';
import { t } from '../../i18n';
import { dismissNotice, showPendingAction } from '../../state/notify';
import { useWeft } from '../../state/weft';
import { titleOf } from '../parts/spaceTitle';
import type { Triage } from './useTriage';

/** How long an answer given in the inbox can be undone, in milliseconds. The agent waits meanwhile. */
const undoDelay = 4000;

/**
 * Makes answers in the inbox undoable, because one key answers and the next request takes its place. Returns a function
 * that undoes the latest answer. Leaving the inbox sends all answers.
 */
export function useUndoAnswers({ held, choose }: Triage): () => void {
  const weft = useWeft();
  const said = useRef<readonly string[]>([]);
  useEffect(() => {
    const { answered } = weft;
    const send = () => answered.flush();
    answered.grace = undoDelay;
    window.addEventListener('pagehide', send);
    return () => {
      window.removeEventListener('pagehide', send);
      answered.grace = 0;
      send();
      for (const id of said.current) dismissNotice(id);
      said.current = [];
    };
  }, [weft]);
  const undo = useRef((_?: string) => {});
  undo.current = (id) => {
    const back = weft.answered.undo(id);
    const entry = held.find((one) => one.id === back)?.entry;
    if (entry !== undefined) choose(entry);
  };
  useEffect(() => {
    const ids = held.map(({ id }) => id);
    for (const id of said.current) if (!ids.includes(id)) dismissNotice(id);
    for (const { id, entry } of held) {
      // It was answered elsewhere or withdrawn.
      if (entry === undefined) weft.answered.undo(id);
      else if (!said.current.includes(id))
        showPendingAction(id, t('inbox.answered', { title: titleOf(entry.space) }), () => undo.current(id));
    }
    said.current = ids;
  }, [weft, held]);
  return () => undo.current();
}
