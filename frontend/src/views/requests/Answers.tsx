import { Menu } from '@base-ui/react/menu';
import { ChevronDown, CircleStop, EyeOff, MessageSquareText, ShieldCheck, ShieldX } from 'lucide-react';
import { type RefObject, useCallback, useId, useRef } from 'react';
import { t } from '../../i18n';
import { shortcutText } from '../../keyboard/actions';
import { digitOf } from '../../keyboard/layout';
import type { Rule } from '../../transport/api';
import { exactWords } from '../parts/exact';
import { usePopupContainer } from '../parts/usePopupContainer';
import type { AnswerKey } from '../tools/requests';
import { useGuard } from './guard';
import { type Choice, hintsOf, type Sides } from './options';

export type Side = 'allow' | 'reject';

interface AnswersProps {
  sides: Sides;
  agent: string;
  /** The key that answers now. */
  answerKey: AnswerKey;
  /** The translated label of an option. */
  nameOf(name: string): string;
  /** Allow isn't available yet. */
  waiting: boolean;
  /** Id of the sentence that says why. */
  waitsId: string;
  sent: number | null;
  busy: boolean;
  menu: Side | null;
  onMenu(side: Side | null): void;
  onChoose(index: number): void;
  onUnseen(): void;
  onAlways(effect: Rule['effect']): void;
  onWhy(): void;
  onStop(): void;
  /** An answer was ignored because it came too soon after its menu opened. */
  onEarly(): void;
  /** Allow was pressed before it was available. */
  onWait(): void;
}

/** The row of answers. Its menus contain the agent's options and, separately, Weft's own rules. */
export function Answers(props: AnswersProps) {
  return (
    <div className="permission-options request-answers" data-answers>
      <Split side="allow" {...props} />
      <Split side="reject" {...props} />
    </div>
  );
}

function Split({ side, ...props }: AnswersProps & { side: Side }) {
  const { sides, answerKey, nameOf, waiting, waitsId, sent, busy, menu, onMenu, onChoose, onWait } = props;
  const once = sides.once[side];
  const held = side === 'allow' && waiting;
  const row = useRef<HTMLDivElement>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  const [host, place] = usePopupContainer();
  const more = useCallback(
    (element: HTMLButtonElement | null) => {
      trigger.current = element;
      place(element);
    },
    [place],
  );
  const moreId = useId();
  const label = t(`request.${side}`);
  const open = menu === side;
  const click = () => {
    if (held) onWait();
    else if (once === null) onMenu(side);
    else onChoose(once.index);
  };
  return (
    <div ref={row} className="split" data-side={side}>
      <button
        type="button"
        className={`button split-main answer-${side}`}
        data-sent={sent !== null && sent === once?.index}
        aria-disabled={busy || held}
        aria-describedby={held ? waitsId : undefined}
        {...(once === null && { 'aria-haspopup': 'menu' as const })}
        title={once === null ? undefined : exactWords(nameOf(once.option.name))}
        onClick={click}
      >
        {label}
        {once === null
          ? '…'
          : once.index < 9 &&
            answerKey !== 'none' && (
              <kbd aria-hidden>{shortcutText(`${answerKey === 'alt' ? 'alt+' : ''}${once.index + 1}`)}</kbd>
            )}
      </button>
      <Menu.Root
        modal={false}
        open={open}
        disabled={busy}
        onOpenChange={(next) => onMenu(next ? side : null)}
      >
        <Menu.Trigger
          ref={more}
          className="button split-more"
          aria-labelledby={moreId}
          title={t(`request.${side}More`)}
        >
          {/* Orca reads text next to the button as its name unless an element names it. */}
          <span id={moreId} className="visually-hidden">
            {t(`request.${side}More`)}
          </span>
          <ChevronDown size={14} aria-hidden />
        </Menu.Trigger>
        <Menu.Portal container={host}>
          <Menu.Positioner anchor={row} sideOffset={4} align="start" className="request-menu-place">
            <Items side={side} held={held} trigger={trigger} {...props} />
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </div>
  );
}

interface ItemsProps extends AnswersProps {
  side: Side;
  held: boolean;
  /** Gets the focus after the menu has closed, so that it never lands on an answer. */
  trigger: RefObject<HTMLButtonElement | null>;
}

function Items({ side, held, trigger, ...props }: ItemsProps) {
  const { sides, agent, nameOf, onChoose, onUnseen, onAlways, onWhy, onStop, onMenu, onWait, onEarly } =
    props;
  const popup = useRef<HTMLDivElement>(null);
  // The item that appears under the pointer was not aimed at.
  const guard = useGuard(popup, true, onEarly);
  const options = sides[side];
  const hints = hintsOf(options);
  const hint = (index: number) => {
    const one = hints.get(index);
    if (one === undefined) return '';
    return 'kind' in one ? t(`request.holds_${one.kind}`) : exactWords(one.words);
  };
  const Rules = side === 'allow' ? ShieldCheck : ShieldX;
  const take = (act: () => void) => () => {
    if (!guard.ready()) return;
    onMenu(null);
    act();
  };
  const choose = ({ index }: Choice) => take(() => (held ? onWait() : onChoose(index)));
  return (
    <Menu.Popup
      ref={popup}
      className="menu request-menu"
      finalFocus={trigger}
      // Before the menu's type-ahead handles the key.
      onKeyDownCapture={(event) => {
        const digit = digitOf(event);
        if (!digit || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        event.stopPropagation();
        take(() => onChoose(digit - 1))();
      }}
    >
      {options.length > 0 && (
        <Menu.Group>
          <Menu.GroupLabel className="request-menu-title">{agent}</Menu.GroupLabel>
          {options.map((choice) => (
            <Menu.Item
              key={choice.index}
              className="menu-item option"
              data-kind={choice.option.kind}
              aria-disabled={held || undefined}
              closeOnClick={false}
              onClick={choose(choice)}
            >
              <span className="request-option">
                {exactWords(nameOf(choice.option.name)) || t(`request.${side}`)}
                {hint(choice.index) !== '' && <span className="quiet-text"> · {hint(choice.index)}</span>}
              </span>
              {choice.index < 9 && <kbd aria-hidden>{choice.index + 1}</kbd>}
            </Menu.Item>
          ))}
        </Menu.Group>
      )}
      {options.length === 0 && <p className="request-menu-note">{t(`request.no_${side}`, { agent })}</p>}
      <Menu.Separator className="menu-line" />
      <Menu.Group>
        <Menu.GroupLabel className="request-menu-title">{t('request.weft')}</Menu.GroupLabel>
        {held && (
          <Menu.Item className="menu-item" closeOnClick={false} onClick={take(onUnseen)}>
            <EyeOff size={14} aria-hidden />
            {t('request.allowUnseen')}
          </Menu.Item>
        )}
        {side === 'reject' && options.length > 0 && (
          <Menu.Item className="menu-item" closeOnClick={false} onClick={take(onWhy)}>
            <MessageSquareText size={14} aria-hidden />
            {t('request.rejectWhy')}
          </Menu.Item>
        )}
        <Menu.Item
          className="menu-item"
          aria-disabled={held || undefined}
          closeOnClick={false}
          onClick={take(() => (held ? onWait() : onAlways(side)))}
        >
          <Rules size={14} aria-hidden />
          {t(`request.${side}Always`)}
        </Menu.Item>
        {side === 'reject' && options.length === 0 && (
          <Menu.Item className="menu-item" closeOnClick={false} onClick={take(onStop)}>
            <CircleStop size={14} aria-hidden />
            {t('permission.stop')}
          </Menu.Item>
        )}
      </Menu.Group>
    </Menu.Popup>
  );
}
