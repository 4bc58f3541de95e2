import { ChevronsDown, ShieldQuestion } from 'lucide-react';
import {
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { answerPermission } from '../../commands/permissions';
import { stopSpace } from '../../commands/spaces';
import { t } from '../../i18n';
import { isTyping } from '../../keyboard/actions';
import { keyOf } from '../../keyboard/layout';
import { showFailure } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { answerNames, useIsWeftAgent } from '../../state/weftAgent';
import type { Message, ToolCall } from '../../transcript/model';
import type { Permission } from '../../transcript/types';
import type { Rule } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { count } from '../parts/numbers';
import { overflows } from '../parts/overflows';
import { AlwaysForm } from '../permissions/AlwaysForm';
import { useDetail } from '../tools/useDetail';
import { useReading } from '../transcript/reading';
import { AgentStatement } from './AgentStatement';
import { Answers, type Side } from './Answers';
import { useGuard } from './guard';
import { headlineOf } from './headline';
import { sidesOf } from './options';
import { useOrdinal } from './ordinal';
import { RejectReason } from './RejectReason';
import { RequestedAction, Unclear } from './RequestedAction';
import { type Unseen, useSeen } from './seen';
import { useAnswerKey } from './useAnswerKey';
import { useRegisteredRequest } from './useRegisteredRequest';
import { useRequest } from './useRequest';
import { useReturnFocus } from './useReturnFocus';
import './requests.css';

interface PermissionCardProps {
  call: ToolCall;
  request: Permission;
  messageId: string;
  segment: number;
  item: number;
}

/**
 * A permission request: what would be done according to the broker's analysis, what the agent says about it, and a row
 * of answers. While it has the focus, A allows and R rejects, with Shift they open the menus, and 1 to 9 choose an
 * option of the agent.
 */
export function PermissionCard({ call, request, messageId, segment, item }: PermissionCardProps) {
  const { session, hold } = useReading();
  const weft = useWeft();
  const detail = useDetail(call, messageId, segment, item);
  const [sent, setSent] = useState<number | null>(null);
  /** What is open below the answers. */
  const [opened, setOpened] = useState<Rule['effect'] | 'why' | null>(null);
  const [menu, setMenu] = useState<Side | null>(null);
  const [all, setAll] = useState(false);
  const [nudged, setNudged] = useState(false);
  // The user chose to allow without viewing everything.
  const [unlocked, setUnlocked] = useState(false);
  const card = useRef<HTMLElement>(null);
  const region = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const id = useId();
  // An answer was ignored because it came too soon after the card appeared.
  const [early, setEarly] = useState(false);
  const tooEarly = useCallback(() => {
    hold();
    setEarly(true);
  }, [hold]);
  const guard = useGuard(card, true, tooEarly);
  const answered = useReturnFocus(card);
  const { requestId, options } = request;
  const sides = useMemo(() => sidesOf(options), [options]);
  const what = useRequest(detail.call, request);
  const author = useAuthor(messageId);
  const agent = useAgentName(author);
  const own = useIsWeftAgent(author?.id);
  const nameOf = useMemo(() => answerNames(own, options), [own, options]);

  const { held, hidden, scrolls, reveal } = useSeen(region, requestId, [
    request.reading ??
      request.readingRef ??
      detail.call.input ??
      detail.call.inputRef ??
      detail.call.inputText,
    detail.call.content ?? detail.call.contentRef,
  ]);
  const loading = detail.loading && !call.whole;
  const waiting = !unlocked && (held !== null || loading);
  const waits = waiting ? restOf(held, loading || what.loading) : '';
  const note = !waiting && !all ? hiddenOf(hidden) : '';
  const complete = !loading && held?.loads !== true && !hidden.loads;
  const arrival = useArrival(
    end,
    region,
    !loading && !what.loading && what.diffs.length === 0 && request.readingRef === undefined,
    complete,
    guard.restart,
  );
  useMinHeight(end, isShown(arrival));
  const nudge = () => {
    setNudged(true);
    hold();
    if (!reveal()) setAll(true);
  };

  const answer = async (index: number) => {
    const option = options[index];
    // While a rule is being created, numbers are not answers.
    if (option === undefined || sent !== null || opened !== null) return;
    const { optionId } = option;
    setSent(index);
    answered(true);
    try {
      await answerPermission(weft, { spaceId: session.spaceId, requestId, optionId });
    } catch (error) {
      setSent(null);
      answered(false);
      showFailure(t('failed.answer'), error);
    }
  };
  const choose = (index: number) => {
    if (!guard.ready()) return;
    if (waiting && sides.allow.some((choice) => choice.index === index)) nudge();
    else void answer(index);
  };
  useRegisteredRequest(card, {
    ids: [requestId],
    choose: (n) => choose(n - 1),
    count: options.length,
    lasts: (n) => options[n - 1]?.kind.endsWith('_once') !== true,
  });
  const key = useAnswerKey(card);

  useEffect(() => {
    if (all) card.current?.querySelector('[data-answers]')?.scrollIntoView({ block: 'nearest' });
  }, [all]);

  const open = (what: Rule['effect'] | 'why') => {
    hold();
    guard.restart();
    setOpened(what);
  };
  const close = useCallback(() => {
    setOpened(null);
    card.current?.focus({ preventScroll: true });
  }, []);
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target as Element))
      return;
    const target = event.target as Element;
    // The content of the card scrolls first, then the transcript.
    if (target === card.current && scrollsBy(region.current, event.key)) {
      event.preventDefault();
      return;
    }
    const inMenu = target.closest('[role=menu]') !== null;
    const key = keyOf(event);
    if (!inMenu && opened === null && (key === 'a' || key === 'r')) {
      const side = key === 'a' ? 'allow' : 'reject';
      const once = sides.once[side];
      if (once !== null && !event.shiftKey) choose(once.index);
      else if (guard.ready()) setMenu(side);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  // Only once, even if the agent has several reject options.
  const why = sides.once.reject ?? sides.reject[0];
  const asks = useStore(session.store, ({ conversation }) =>
    conversation.runs.find(({ waitsFor }) => waitsFor.includes(requestId)),
  );
  const headline = headlineOf(what, call);
  const nth = useOrdinal(headline);
  return (
    <section
      ref={card}
      className="permission request"
      data-arrival={arrival}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      aria-label={
        nth === 1
          ? t('permission.label', { what: headline })
          : t('permission.labelNth', { what: headline, n: nth })
      }
    >
      <h2 className="permission-title">
        <ShieldQuestion size={15} aria-hidden />
        {t('permission.title')}
        <span className="request-agent truncate">{agent}</span>
      </h2>
      <div className="request-body">
        {/* biome-ignore lint/a11y/useSemanticElements: not a form group, and no landmark: there are many cards */}
        <div
          ref={region}
          className="permission-what request-action"
          role="group"
          data-all={all || undefined}
          aria-label={t('request.what')}
          {...(scrolls && { tabIndex: 0 })}
        >
          <RequestedAction request={what} all={all} />
        </div>
        <Unclear reading={what.reading} />
        <AgentStatement agent={agent} sentences={what.said} />
      </div>
      {options.length === 0 && <p className="permission-none">{t('permission.noOptions')}</p>}
      {/* What is beside the answers appears and disappears without moving them. */}
      <div ref={end} className="request-end">
        {options.length === 0 ? (
          <div className="permission-options" data-answers>
            <button
              type="button"
              className="button"
              onClick={() => guard.ready() && void stopSpace(weft, session.spaceId)}
            >
              {t('permission.stop')}
            </button>
          </div>
        ) : (
          <Answers
            sides={sides}
            answerKey={key}
            agent={agent}
            nameOf={nameOf}
            waiting={waiting}
            waitsId={`${id}-rest`}
            sent={sent}
            busy={sent !== null || opened !== null}
            menu={menu}
            onMenu={setMenu}
            onEarly={tooEarly}
            onChoose={choose}
            onWait={nudge}
            onUnseen={() => {
              // The user still has to choose between several allow options.
              if (sides.once.allow === null) setUnlocked(true);
              else if (guard.ready()) void answer(sides.once.allow.index);
            }}
            onAlways={open}
            onWhy={() => open('why')}
            onStop={() => void stopSpace(weft, session.spaceId)}
          />
        )}
        <div className="request-foot">
          <p className="request-early" role="status">
            {(early || (nudged && !waiting)) && sent === null && opened === null && t('request.pressAgain')}
          </p>
          <p
            id={`${id}-rest`}
            className="request-rest"
            role="status"
            data-nudged={nudged || undefined}
            hidden={waits === ''}
          >
            {waits !== '' && (
              <>
                <ChevronsDown size={14} aria-hidden />
                {nudged && <span className="visually-hidden">{t('request.waits')} </span>}
                <span>{waits}</span>
              </>
            )}
          </p>
          <p className="request-note" hidden={note === ''}>
            {note}
          </p>
          {(waits !== '' || note !== '') && !all && (
            <button
              type="button"
              className="text-button"
              onClick={() => {
                hold();
                guard.restart();
                setAll(true);
                // This button disappears, and keys should scroll what it opened.
                card.current?.focus({ preventScroll: true });
              }}
            >
              {t('request.showAll')}
            </button>
          )}
        </div>
      </div>
      {opened === 'why' && why !== undefined && asks !== undefined && (
        <Opened>
          <RejectReason
            spaceId={session.spaceId}
            requestId={requestId}
            optionId={why.option.optionId}
            to={{ spaceId: asks.home || session.spaceId, memberId: asks.memberId }}
            agent={agent}
            onSent={() => {
              setSent(why.index);
              answered(true);
            }}
            onClose={close}
          />
        </Opened>
      )}
      {opened !== null && opened !== 'why' && (
        <Opened>
          <AlwaysForm
            effect={opened}
            spaceId={session.spaceId}
            requestId={requestId}
            ready={guard.ready}
            onClose={close}
          />
        </Opened>
      )}
    </section>
  );
}

/** What was opened in a card. It is scrolled into view, even after it has loaded or grown. */
function Opened({ children }: { children: React.ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const show = () => element.scrollIntoView({ block: 'nearest' });
    const sizes = new ResizeObserver(show);
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);
  return (
    <div ref={box} className="request-opened">
      {children}
    </div>
  );
}

/** In ms: a card that takes longer to complete is shown earlier, with space reserved for the rest. */
const arriveWithin = 300;
/** Frames that a card has in any case: where one frame takes longer than that, nothing is shown earlier. */
const arriveFrames = 6;

/** Hidden while it is coming; hidden with its space reserved; shown complete; shown with space reserved. */
type Arrival = 'coming' | 'reserved' | 'whole' | 'late';

const isShown = (arrival: Arrival) => arrival === 'whole' || arrival === 'late';

/**
 * Decides when the card can be shown with its answers at their final position: at once if nothing must be loaded
 * (`small`) and all of it fits its region, otherwise when it is complete. Calls `begun` when it is shown.
 */
function useArrival(
  answers: RefObject<HTMLElement | null>,
  region: RefObject<HTMLElement | null>,
  small: boolean,
  complete: boolean,
  begun: () => void,
): Arrival {
  const [arrival, setArrival] = useState<Arrival>('coming');
  useLayoutEffect(() => {
    if (small && region.current !== null && !overflows(region.current)) setArrival('whole');
  }, [region, small]);
  const latest = useRef(complete);
  latest.current = complete;
  useEffect(() => {
    if (isShown(arrival)) return begun();
    const reserved = arrival === 'reserved';
    let since = 0;
    let frames = 0;
    let place = Number.NaN;
    // Count frames, because a hidden window has none.
    const look = () => {
      since ||= Date.now();
      frames++;
      const ready = reserved || latest.current;
      const before = place;
      place = ready ? (answers.current?.getBoundingClientRect().top ?? 0) : Number.NaN;
      const late = frames > arriveFrames && Date.now() - since > arriveWithin;
      // The list adjusts to a new height one frame later.
      if (ready && (late || Math.abs(place - before) <= 1)) setArrival(reserved ? 'late' : 'whole');
      else if (late) setArrival('reserved');
      else frame = requestAnimationFrame(look);
    };
    let frame = requestAnimationFrame(look);
    return () => cancelAnimationFrame(frame);
  }, [answers, arrival, begun]);
  return arrival;
}

/**
 * Never lets an element shrink after it is shown: the view follows the end of the thread, so shrinking would move it.
 */
function useMinHeight(of: RefObject<HTMLElement | null>, drawn: boolean): void {
  useEffect(() => {
    const element = of.current;
    if (!drawn || element === null || typeof ResizeObserver === 'undefined') return;
    const sizes = new ResizeObserver(() => {
      element.style.minHeight = `${element.offsetHeight}px`;
    });
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [of, drawn]);
}

/** Scrolls with a key if there is more in that direction. */
function scrollsBy(region: HTMLElement | null, key: string): boolean {
  const by = { ArrowDown: 0.1, ArrowUp: -0.1, PageDown: 0.8, PageUp: -0.8 }[key];
  if (region === null || by === undefined) return false;
  const { scrollTop, clientHeight } = region;
  region.scrollBy({ top: by * clientHeight });
  return region.scrollTop !== scrollTop;
}

/** Describes the hidden content that answers don't depend on. */
function hiddenOf({ lines, chars }: Unseen): string {
  if (lines > 0) return t('request.hiddenLines', { count: lines, n: count(lines) });
  return chars > 0 ? t('request.hiddenChars', { count: chars, n: count(chars) }) : '';
}

/** Explains what Allow waits for. Empty before the card was measured for the first time. */
function restOf(held: Unseen | null, loading: boolean): string {
  if (loading) return t('request.loading');
  const { lines, chars } = held ?? { lines: 0, chars: 0 };
  if (lines + chars === 0) return '';
  if (lines === 0) return t('request.restChars', { count: chars, chars: count(chars) });
  return t('request.rest', { count: lines, n: count(lines), chars: count(chars) });
}

/** The requesting agent: the author of the message. */
function useAuthor(messageId: string): Message['author'] | undefined {
  const { session } = useReading();
  return useStore(
    session.store,
    ({ conversation }) => conversation.messages.find(({ id }) => id === messageId)?.author,
  );
}

function useAgentName(author: Message['author'] | undefined): string {
  const { session } = useReading();
  const ofSpace = useStore(session.store, ({ space }) => space?.agentName ?? '');
  return oneLine(author?.name ?? ofSpace) || t('request.theAgent');
}
