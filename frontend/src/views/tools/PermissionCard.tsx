import { useCallback, useEffect, useRef, useState } from 'react';
import { t } from '../../i18n';
import { isTyping } from '../../keyboard/actions';
import { sayFailed } from '../../state/notify';
import { useWeft } from '../../state/weft';
import type { ToolCall } from '../../transcript/model';
import type { Permission } from '../../transcript/types';
import type { Rule } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { AlwaysForm } from '../permissions/AlwaysForm';
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

/**
 * The agent asks whether it may. Its own options are the buttons, and 1 to 9 answer too. A and R make a rule of
 * the answer.
 */
export function PermissionCard({ call, request, messageId, segment, item }: PermissionCardProps) {
  const { session, hold } = useReading();
  const weft = useWeft();
  const detail = useDetail(call, messageId, segment, item);
  const [sent, setSent] = useState<number | null>(null);
  const [always, setAlways] = useState<Rule['effect'] | null>(null);
  const card = useRef<HTMLElement>(null);
  const { requestId, options } = request;

  const answer = async (index: number) => {
    const option = options[index];
    // While a rule is being written, a number is none of the answers.
    if (option === undefined || sent !== null || always !== null) return;
    const { optionId } = option;
    setSent(index);
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
      choose: (n) => void latest.current(n - 1),
    });
  }, []);
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

  const open = (effect: Rule['effect']) => {
    hold();
    setAlways(effect);
  };
  const close = useCallback(() => {
    setAlways(null);
    requestAnimationFrame(() => card.current?.querySelector<HTMLElement>('button.always')?.focus());
  }, []);
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target as Element)) return;
    const key = event.key.toLowerCase();
    if (always !== null || (key !== 'a' && key !== 'r')) return;
    event.preventDefault();
    open(key === 'a' ? 'allow' : 'reject');
  };

  const changes = (detail.call.content ?? []).filter(({ type }) => type === 'diff');
  const others = (detail.call.content ?? []).filter(({ type }) => type !== 'diff');
  return (
    <section
      ref={card}
      className="permission"
      onKeyDown={onKeyDown}
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
      {options.length === 0 && <p className="permission-none">{t('permission.noOptions')}</p>}
      <div className="permission-options">
        {options.map((option, i) => (
          <button
            // biome-ignore lint/suspicious/noArrayIndexKey: agents may give two options one id
            key={i}
            type="button"
            className="option button"
            data-kind={option.kind}
            data-sent={sent === i}
            aria-disabled={sent !== null || always !== null}
            onClick={() => void answer(i)}
          >
            {i < 9 && <kbd aria-hidden>{i + 1}</kbd>}
            {oneLine(option.name)}
          </button>
        ))}
        {options.length === 0 ? (
          <button type="button" className="option button" onClick={() => void weft.stop(session.spaceId)}>
            {t('permission.stop')}
          </button>
        ) : (
          always === null && (
            <span className="permission-always">
              <button type="button" className="always button plain" onClick={() => open('allow')}>
                {t('permission.allowAlways')}
                <kbd aria-hidden>A</kbd>
              </button>
              <button type="button" className="always button plain" onClick={() => open('reject')}>
                {t('permission.refuseAlways')}
                <kbd aria-hidden>R</kbd>
              </button>
            </span>
          )
        )}
      </div>
      {always !== null && (
        <AlwaysForm effect={always} spaceId={session.spaceId} requestId={requestId} onClose={close} />
      )}
    </section>
  );
}
