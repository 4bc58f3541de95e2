import { useMemo } from 'react';
import { toneOf, tonesOf } from '../../state/memberLook';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { type Message, memberOf } from '../../transcript/model';

/** The color of each message if there are several authors; null if there is one. */
export function useAuthorColors(session: Session): ((message: Message) => number) | null {
  // A string: the members change rarely, the space often.
  const ids = useStore(session.store, ({ space }) => (space?.members ?? []).map(({ id }) => id).join('\n'));
  return useMemo(() => {
    const members = ids.split('\n').map((id) => ({ id }));
    if (members.length < 2) return null;
    const tones = tonesOf(members);
    return ({ author }) => tones.get(memberOf(author)) ?? toneOf(memberOf(author));
  }, [ids]);
}
