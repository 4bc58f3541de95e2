import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { retryCall } from '../../commands/transcript';
import { t } from '../../i18n';
import { defaultMember, runOfMember } from '../../state/members';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { ToolCall } from '../../transcript/model';
import { wasRetried } from '../../transcript/wasRetried';
import { inactiveWhile } from '../parts/inactiveWhile';
import { useReading } from '../transcript/reading';

/** Retries a call that failed for a temporary reason. While its agent works, retrying is up to the agent. */
export function RetryCall({ call, messageId }: { call: ToolCall; messageId: string }) {
  const { session } = useReading();
  const weft = useWeft();
  const [asked, setAsked] = useState(false);
  const offer = useStore(session.store, ({ space, conversation: { messages, runs } }) => {
    if (space === null || call.status !== 'failed' || !call.retryable) return 'none';
    const author = messages.find(({ id }) => id === messageId)?.author;
    const member = space.members.find(({ id }) => id === author?.memberId) ?? defaultMember(space);
    if (runOfMember(runs, member.id) !== undefined) return 'none';
    return wasRetried(messages, messageId, call) ? 'since' : 'retry';
  });
  if (offer === 'none') return null;
  if (offer === 'since') return <p className="tool-retry quiet-text">{t('tool.triedSince')}</p>;
  const retry = async () => {
    setAsked(true);
    const { spaceId } = session;
    await weft.attempt(t('failed.retryCall'), () =>
      retryCall(weft, { spaceId, messageId, toolCallId: call.toolCallId }),
    );
    setAsked(false);
  };
  return (
    <div className="tool-retry">
      <button type="button" className="button small" {...inactiveWhile(asked)} onClick={() => void retry()}>
        <RotateCcw size={13} aria-hidden />
        {t('tool.retry')}
      </button>
      <span className="quiet-text">{t('tool.retryable')}</span>
    </div>
  );
}
