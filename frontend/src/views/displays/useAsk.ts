import { useEffect, useRef, useState } from 'react';
import { answerDisplay } from '../../commands/transcript';
import { t } from '../../i18n';
import { say, showFailure } from '../../state/notify';
import { writeDraft } from '../../state/ui';
import { useWeft } from '../../state/weft';
import type { ToolCall } from '../../transcript/model';
import type { Json } from '../../transcript/types';
import { useGuard } from '../requests/guard';
import { useRegisteredRequest } from '../requests/useRegisteredRequest';
import { useReading } from '../transcript/reading';
import { type Ask, pickedKey } from './display';
import type { Outcome } from './phase';

export interface Asking {
  ask: Ask;
  /** The user declines to answer. */
  withdraw(): void;
}

/**
 * State and handlers for answering a display. It handles keys only while it has the focus, and gets the focus only when
 * the user moves to it.
 */
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
  const chosen = useRef<(n: number) => void>(() => {});
  const { toolCallId } = call;
  const waits = outcome.phase === 'waiting';
  const open = waits || outcome.phase === 'open';
  const draftKey = `display:${messageId}:${toolCallId}`;
  // Ignore a second answer in the same frame.
  const sent = useRef(false);
  const guard = useGuard(box, open, () => {
    hold();
    say(t('request.pressAgain'));
  });

  const send = async (answer: Json, cancel = false) => {
    if (!open || sent.current || !guard.ready()) return;
    sent.current = true;
    setSending(true);
    try {
      const request = { spaceId: session.spaceId, messageId, toolCallId, answer };
      await answerDisplay(weft, cancel ? { ...request, cancel } : request);
      writeDraft(draftKey, '');
      writeDraft(pickedKey(draftKey), '');
    } catch (error) {
      sent.current = false;
      setSending(false);
      showFailure(t('failed.answer'), error);
    }
  };
  // It may wait again: an earlier answer doesn't count for that.
  useEffect(() => {
    if (open) return;
    sent.current = false;
    setSending(false);
  }, [open]);

  // If nobody waits for it, it isn't a navigation target and handles no keys.
  useRegisteredRequest(box, {
    ids: [toolCallId, ...call.permissions.map(({ requestId }) => requestId)],
    active: waits,
    choose: keys ? (n) => chosen.current(n) : undefined,
  });

  return {
    ask: {
      open,
      numbered: waits && keys,
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
