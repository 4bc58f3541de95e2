import { useEffect, useId, useRef, useState } from 'react';
import { rejectSaying } from '../../commands/permissions';
import { t } from '../../i18n';
import { say, sayFailed } from '../../state/notify';
import { useWeft, type Weft } from '../../state/weft';
import { fitHeight } from '../parts/fitHeight';
import { resting } from '../parts/resting';

interface SayWhyProps {
  spaceId: string;
  requestId: string;
  /** The option of the agent that rejects. */
  optionId: string;
  /** The member who asks, and where it works. */
  to: { spaceId: string; memberId: string };
  agent: string;
  /** Whether an answer is taken now. */
  ready(): boolean;
  onSent(): void;
  onClose(): void;
}

/** Rejects a request, and has the agent told why by the next prompt. What is typed is kept where the card goes before it is sent. */
export function SayWhy({ spaceId, requestId, optionId, to, agent, ready, onSent, onClose }: SayWhyProps) {
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
    if (busy || empty || !ready()) return;
    setBusy(true);
    const sent = text.current;
    text.current = ''; // the card goes with the answer, and what is on its way is not left behind
    try {
      await rejectSaying(weft, { spaceId, requestId, optionId, to, text: sent });
      onSent();
    } catch (error) {
      if (gone.current) keepAside(weft, spaceId, sent);
      else text.current = sent;
      setBusy(false);
      sayFailed(t('failed.answer'), error);
    }
  };
  return (
    <form
      className="always say-why"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === 'Escape') {
          // Escape elsewhere leaves the card.
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
        <button type="submit" className="button primary" {...resting(busy || empty)}>
          {t('request.rejectAndSend')}
        </button>
        <button type="button" className="button plain" onClick={onClose}>
          {t('cancel')}
        </button>
      </div>
    </form>
  );
}

/** Keeps a text where the arrow keys find it from the message field. */
function keepAside(weft: Weft, spaceId: string, text: string): void {
  if (text.trim() === '') return;
  weft.drafts.keepAside(spaceId, text);
  say(t('request.whyKept'));
}
