import type { Attachments } from '../../state/attachments';
import { capabilitiesOf } from '../../state/offered';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import type { Can, Member } from '../../transport/api';
import { problemOf } from './useAttachments';

interface AttachmentSupport {
  /** Reports whether a member doesn't support some of the attachments. */
  lacksSupport(member: Member): boolean;
  /** The member whose limits are shown: the first that doesn't support something, else the first recipient. */
  limitedMember: Member;
  /** Capabilities of that member; null if unknown. */
  can: Can | null;
}

/** Checks whether the recipients, at least one, support the attachments. */
export function useAttachmentSupport(
  session: Session,
  attachments: Attachments,
  asked: readonly Member[],
): AttachmentSupport {
  const lacksSupport = (member: Member) => {
    const can = capabilitiesOf(session.store.get().conversation, member);
    return attachments.store.get().list.some((one) => problemOf(one, can, member.name) !== '');
  };
  const takerNow = () => asked.find(lacksSupport) ?? (asked[0] as Member);
  useStore(attachments.store, takerNow);
  const limitedMember = useStore(session.store, takerNow);
  const can = useStore(session.store, ({ conversation }) => capabilitiesOf(conversation, limitedMember));
  return { lacksSupport, limitedMember, can };
}
