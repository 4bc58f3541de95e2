import { useEffect, useRef, useState } from 'react';
import { t } from '../../i18n';
import { isTyping } from '../../keyboard/actions';
import { sayFailed } from '../../state/notify';
import { useWeft } from '../../state/weft';
import type { ToolCall } from '../../transcript/model';
import type { Permission } from '../../transcript/types';
import { oneLine } from '../parts/clean';
import { useReading } from '../transcript/reading';
import { ContentBlob } from './ContentBlob';
import { hasFocus, isWanted, offerRequest } from './requests';
import { Input, Piece, Places } from './ToolDetail';
import { useDetail } from './useDetail';

interface PermissionCardProps {
  call: ToolCall;
  request: Permission;
  messageId: string;
  segment: number;
  item: number;
}

function mayTakeFocus(active: Element | null): boolean {
  if (active === null || active === document.body) return true;
  return isTyping(active) && (active as HTMLInputElement).value === '';
}

/** The agent asks whether it may. Its own options are the buttons; 1 to 9 answer too. */
export function PermissionCard({ call, request, messageId, segment, item }: PermissionCardProps) {
  const { session } = useReading();
  const weft = useWeft();
  const detail = useDetail(call, messageId, segment, item);
  const [sent, setSent] = useState<string | null>(null);
  const card = useRef<HTMLElement>(null);
  const { requestId, options } = request;

  const answer = async (optionId: string) => {
    if (sent !== null) return;
    setSent(optionId);
    try {
      await weft.transport.call('AnswerPermission', { spaceId: session.spaceId, requestId, optionId });
    } catch (error) {
      setSent(null);
      sayFailed(t('failed.answer'), error);
    }
  };
  const latest = useRef(answer);
  latest.current = answer;
  useEffect(() => {
    const element = card.current;
    if (element === null) return;
    return offerRequest({
      element,
      choose: (n) => {
        const option = options[n - 1];
        if (option !== undefined) void latest.current(option.optionId);
      },
    });
  }, [options]);
  // The question takes the focus only from someone who is not typing.
  useEffect(() => {
    // A row of the virtual list cannot have the focus before it has been measured.
    let frames = 10;
    let frame = 0;
    const attempt = () => {
      const option = card.current?.querySelector<HTMLElement>('button.option');
      if (option === undefined || option === null) return;
      if (!isWanted(session.spaceId) && !mayTakeFocus(document.activeElement)) return;
      option.focus({ preventScroll: true });
      if (document.activeElement === option) hasFocus();
      else if (frames-- > 0) frame = requestAnimationFrame(attempt);
    };
    attempt();
    return () => cancelAnimationFrame(frame);
  }, [session]);

  const changes = (detail.call.content ?? []).filter(({ type }) => type === 'diff');
  const others = (detail.call.content ?? []).filter(({ type }) => type !== 'diff');
  return (
    <section
      ref={card}
      className="permission"
      aria-label={t('permission.label', { title: oneLine(call.title) })}
    >
      <h3 className="permission-title">{t('permission.title')}</h3>
      <div className="permission-what">
        {changes.map((piece, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
          <Piece key={i} content={piece} />
        ))}
        {detail.call.contentRef !== undefined && <ContentBlob blob={detail.call.contentRef} diffsOnly />}
        {changes.length === 0 && <Input call={detail.call} />}
        {changes.length === 0 &&
          others.map((piece, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
            <Piece key={i} content={piece} />
          ))}
        {changes.length === 0 && <Places locations={detail.call.locations ?? []} />}
      </div>
      <div className="permission-options">
        {options.map((option, i) => (
          <button
            key={option.optionId}
            type="button"
            className="option button"
            data-kind={option.kind}
            data-sent={sent === option.optionId}
            aria-disabled={sent !== null}
            onClick={() => void answer(option.optionId)}
          >
            {i < 9 && <kbd aria-hidden>{i + 1}</kbd>}
            {oneLine(option.name)}
          </button>
        ))}
      </div>
    </section>
  );
}
