import { useEffect, useId, useRef, useState } from 'react';
import { rejectWithReason } from '../../commands/permissions';
import { t } from '../../i18n';
import { say, showFailure } from '../../state/notify';
import { useWeft, type Weft } from '../../state/weft';
import { fitHeight } from '../parts/fitHeight';
import { inactiveWhile } from '../parts/inactiveWhile';

interface RejectReasonProps {
  spaceId: string;
  requestId: string;
  /** The agent's reject option. */
  optionId: string;
  /** The requesting member and its space. */
  to: { spaceId: string; memberId: string };
  agent: string;
  onSent(): void;
  onClose(): void;
}

/**
 * Rejects a request and sends the reason to the agent as the next prompt. If the card disappears before that, the text
 * is kept.
 */
export function RejectReason({
  spaceId,
  requestId,
  optionId,
  to,
  agent,
  onSent,
  onClose,
}: RejectReasonProps) {
  const weft = useWeft();
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [busy, setBusy] = useState(false);
  const [empty, setEmpty] = useState(true);
  const text = useRef('');
  const gone = useRef(false);
  useEffect(() => {
    gone.current = false;
    const leave = () => {
      keepAside(weft, spaceId, text.current);
      text.current = '';
    };
    field.current?.focus();
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      gone.current = true;
      leave();
    };
  }, [weft, spaceId]);
  const send = async () => {
    if (busy || empty) return;
    setBusy(true);
    const sent = text.current;
    text.current = ''; // the card disappears with the answer, and text being sent must not be kept
    try {
      await rejectWithReason(weft, { spaceId, requestId, optionId, to, text: sent });
      onSent();
    } catch (error) {
      if (gone.current) keepAside(weft, spaceId, sent);
      else text.current = sent;
      setBusy(false);
      showFailure(t('failed.answer'), error);
    }
  };
  return (
    <form
      className="always reject-reason"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === 'Escape') {
          // Otherwise Escape would leave the card.
          event.preventDefault();
          event.stopPropagation();
          onClose();
        } else if (
          event.key === 'Enter' &&
          event.target === field.current &&
          !event.shiftKey &&
          !event.altKey
        ) {
          event.preventDefault();
          void send();
        }
      }}
    >
      <label htmlFor={id}>{t('request.why', { agent })}</label>
      <textarea
        id={id}
        ref={field}
        dir="auto"
        className="field"
        rows={1}
        spellCheck
        aria-describedby={`${id}-how`}
        onInput={({ currentTarget }) => {
          text.current = currentTarget.value;
          setEmpty(text.current.trim() === '');
          fitHeight(currentTarget);
        }}
      />
      <p id={`${id}-how`} className="rule-reach">
        {t('request.whyHow', { agent })}
      </p>
      <div className="dialog-foot">
        <button type="submit" className="button primary" {...inactiveWhile(busy || empty)}>
          {t('request.rejectAndSend')}
        </button>
        <button type="button" className="button plain" onClick={onClose}>
          {t('cancel')}
        </button>
      </div>
    </form>
  );
}

/** Stores a text where the arrow keys of the message field find it. */
function keepAside(weft: Weft, spaceId: string, text: string): void {
  if (text.trim() === '') return;
  weft.drafts.keepAside(spaceId, text);
  say(t('request.whyKept'));
}
