import { useEffect, useRef } from 'react';
import { t } from '../../i18n';
import { saySoon, unsay } from '../../state/notify';
import { useWeft } from '../../state/weft';
import { titleOf } from '../parts/spaceTitle';
import type { Triage } from './useTriage';

/** How long an answer that is given in the inbox can be taken back, in milliseconds. The agent waits for it meanwhile. */
const grace = 4000;

/**
 * Lets the user take back what they have answered in the inbox, where one key answers and the next request takes its place. Returns what takes
 * back the latest answer. Those who leave the inbox have their answers sent.
 */
export function useTakeBack({ held, choose }: Triage): () => void {
  const weft = useWeft();
  const said = useRef<readonly string[]>([]);
  useEffect(() => {
    const { answered } = weft;
    const send = () => answered.flush();
    answered.grace = grace;
    window.addEventListener('pagehide', send);
    return () => {
      window.removeEventListener('pagehide', send);
      answered.grace = 0;
      send();
      for (const id of said.current) unsay(id);
      said.current = [];
    };
  }, [weft]);
  const takeBack = useRef((_?: string) => {});
  takeBack.current = (id) => {
    const back = weft.answered.takeBack(id);
    const entry = held.find((one) => one.id === back)?.entry;
    if (entry !== undefined) choose(entry);
  };
  useEffect(() => {
    const ids = held.map(({ id }) => id);
    for (const id of said.current) if (!ids.includes(id)) unsay(id);
    for (const { id, entry } of held) {
      // Nobody waits for it any more: it was answered elsewhere, or withdrawn.
      if (entry === undefined) weft.answered.takeBack(id);
      else if (!said.current.includes(id))
        saySoon(id, t('inbox.answered', { title: titleOf(entry.space) }), () => takeBack.current(id));
    }
    said.current = ids;
  }, [weft, held]);
  return () => takeBack.current();
}
