import type { Attachments } from '../../state/attachments';
import { canOf } from '../../state/offered';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import type { Can, Member } from '../../transport/api';
import { problemOf } from './useAttachments';

interface Fit {
  /** Whether a member cannot take something of what is attached now. */
  unfit(member: Member): boolean;
  /** Whose limits are told: the first that cannot take something, else the first that is asked. */
  taker: Member;
  /** What that one can take; null while nobody knows. */
  can: Can | null;
}

/** Whether those who are asked, at least one, can take what is attached. */
export function useFit(session: Session, attachments: Attachments, asked: readonly Member[]): Fit {
  const unfit = (member: Member) => {
    const can = canOf(session.store.get().conversation, member);
    return attachments.store.get().list.some((one) => problemOf(one, can, member.name) !== '');
  };
  const takerNow = () => asked.find(unfit) ?? (asked[0] as Member);
  useStore(attachments.store, takerNow);
  const taker = useStore(session.store, takerNow);
  const can = useStore(session.store, ({ conversation }) => canOf(conversation, taker));
  return { unfit, taker, can };
}
