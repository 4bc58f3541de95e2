import { useEffect, useRef, useState } from 'react';
import { t } from '../../i18n';
import { sayFailed } from '../../state/notify';
import { writeDraft } from '../../state/ui';
import { useWeft } from '../../state/weft';
import type { ToolCall } from '../../transcript/model';
import type { Json } from '../../transcript/types';
import { firstAnswer, hasFocus, isWanted, offerRequest } from '../tools/requests';
import { useReading } from '../transcript/reading';
import type { Ask } from './display';
import type { Outcome } from './phase';

export interface Asking {
  ask: Ask;
  /** The person will not answer. */
  withdraw(): void;
}

/** The answering of a display. It takes the keys from nobody who types, and the focus only when the person came for it. */
export function useAsk(
  call: ToolCall,
  messageId: string,
  outcome: Outcome,
  box: React.RefObject<HTMLElement | null>,
  keys: boolean,
): Asking {
  const { session, hold } = useReading();
  const weft = useWeft();
  const [sending, setSending] = useState(false);
  const holding = useRef(hold);
  holding.current = hold;
  const chosen = useRef<(n: number) => void>(() => {});
  const { toolCallId } = call;
  const open = outcome.phase === 'waiting';
  const draftKey = `display:${messageId}:${toolCallId}`;
  // Two answers within one frame are one.
  const sent = useRef(false);

  const send = async (answer: Json, cancel = false) => {
    if (!open || sent.current) return;
    sent.current = true;
    setSending(true);
    try {
      const request = { spaceId: session.spaceId, messageId, toolCallId, answer };
      await weft.transport.call('AnswerDisplay', cancel ? { ...request, cancel } : request);
      writeDraft(draftKey, '');
    } catch (error) {
      sent.current = false;
      setSending(false);
      sayFailed(t('failed.answer'), error);
    }
  };
  // It may wait again: what was sent before is not the answer to that.
  useEffect(() => {
    if (open) return;
    sent.current = false;
    setSending(false);
  }, [open]);

  useEffect(() => {
    const element = box.current;
    if (!open || element === null) return;
    const reveal = () => holding.current();
    return offerRequest(keys ? { element, reveal, choose: (n) => chosen.current(n) } : { element, reveal });
  }, [open, keys, box]);
  useEffect(() => {
    if (!open || !isWanted(session.spaceId)) return;
    // A row of the virtual list cannot have the focus before it has been measured.
    let frames = 10;
    let frame = 0;
    const attempt = () => {
      const first = firstAnswer(box.current);
      first?.focus({ preventScroll: true });
      if (first !== null && document.activeElement === first) {
        hasFocus();
        holding.current();
        first.scrollIntoView({ block: 'nearest' });
      } else if (frames-- > 0) frame = requestAnimationFrame(attempt);
    };
    attempt();
    return () => cancelAnimationFrame(frame);
  }, [open, session, box]);

  return {
    ask: {
      open,
      sending,
      answer: outcome.answer,
      draftKey,
      send: (answer) => void send(answer),
      onNumber: (choose) => {
        chosen.current = choose;
      },
    },
    withdraw: () => void send(null, true),
  };
}
