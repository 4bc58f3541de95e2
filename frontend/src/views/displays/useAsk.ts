import { useEffect, useRef, useState } from 'react';
import { answerDisplay } from '../../commands/transcript';
import { t } from '../../i18n';
import { say, sayFailed } from '../../state/notify';
import { writeDraft } from '../../state/ui';
import { useWeft } from '../../state/weft';
import type { ToolCall } from '../../transcript/model';
import type { Json } from '../../transcript/types';
import { useGuard } from '../requests/guard';
import { useOffered } from '../requests/useOffered';
import { useReading } from '../transcript/reading';
import { type Ask, pickedIn } from './display';
import type { Outcome } from './phase';

export interface Asking {
  ask: Ask;
  /** The user will not answer. */
  withdraw(): void;
}

/** The answering of a display. It takes keys only while it has the focus, and the focus only when the user came for it. */
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
  // Two answers within one frame are one.
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
      writeDraft(pickedIn(draftKey), '');
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

  // What nobody waits for is not gone to, and takes no keys.
  useOffered(box, {
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
