import { useEffect } from 'react';
import { t } from '../../i18n';
import type { InboxItem } from '../../state/inbox';
import type { Session } from '../../state/session';
import type { Wait } from '../../transport/api';
import { nameOf, replyKind } from '../composer/useReply';
import { ShownCall } from '../displays/ShownCall';
import { Lines } from '../parts/Lines';
import { RequestCard } from '../requests/RequestCard';
import { PaneReading } from './PaneReading';
import { PaneFailed, PaneLoading, PaneNote } from './PaneStates';
import { useOpenSession } from './useOpenSession';
import { useWaiting } from './useWaiting';

interface RequestDetailProps {
  of: InboxItem;
  wait: Wait;
  onOpen(): void;
  /** Called with another id under which it is answered. */
  onKnown(id: string): void;
}

/** A request, rendered as in its conversation. */
export function RequestDetail({ of, wait, onOpen, onKnown }: RequestDetailProps) {
  const { session, status } = useOpenSession(of.space.id);
  if (wait.kind === replyKind) return <Reply wait={wait} onOpen={onOpen} />;
  if (status === 'loading') return <PaneLoading />;
  if (status === 'failed') return <PaneFailed session={session} />;
  return (
    <PaneReading session={session}>
      <Card session={session} id={wait.requestId} onOpen={onOpen} onKnown={onKnown} />
    </PaneReading>
  );
}

interface CardProps {
  session: Session;
  id: string;
  onOpen(): void;
  onKnown(id: string): void;
}

function Card({ session, id, onOpen, onKnown }: CardProps) {
  const waiting = useWaiting(session, id);
  const call = waiting === null || waiting === 'missing' ? null : waiting.call;
  const messageId = waiting === null || waiting === 'missing' ? '' : waiting.messageId;
  const toolCallId = call?.toolCallId ?? '';
  useEffect(() => {
    if (toolCallId !== '') onKnown(`${messageId}:${toolCallId}`);
  }, [messageId, toolCallId, onKnown]);
  if (waiting === null) return <PaneLoading />;
  if (waiting === 'missing')
    return (
      <PaneNote title={t('inbox.missing')} text={t('inbox.missingLead')}>
        <button type="button" className="button" onClick={onOpen}>
          {t('inbox.open')}
        </button>
        <button type="button" className="button" onClick={() => void session.open()}>
          {t('again')}
        </button>
      </PaneNote>
    );
  const { permission, ...place } = waiting;
  if (permission === undefined) return <ShownCall {...place} />;
  return <RequestCard request={permission} {...place} />;
}

/** An agent waits for any message in the space. */
function Reply({ wait, onOpen }: { wait: Wait; onOpen(): void }) {
  return (
    <div className="triage-reply">
      <h3>{t('reply.waits', { name: nameOf(wait) })}</h3>
      <blockquote>
        <Lines text={wait.title} />
      </blockquote>
      <button type="button" className="button primary" onClick={onOpen}>
        {t('inbox.reply')}
      </button>
    </div>
  );
}
