import { ChevronRight, ChevronsUpDown, ChevronUp, SquareTerminal } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { refuseAllPermissions } from '../../commands/permissions';
import { groupItems } from '../../commands/transcript';
import { t } from '../../i18n';
import { showFailure } from '../../state/notify';
import { itemsOf } from '../../state/views';
import { useWeft } from '../../state/weft';
import { isDisplay } from '../../transcript/displays';
import { callCount, groupDuration, groupLabel, groupStatus } from '../../transcript/labels';
import type { Item, ToolCall } from '../../transcript/model';
import { isOpen } from '../../transcript/model';
import { type Nest, nestFacts, type ShownGroup } from '../../transcript/nest';
import { countNotAsked } from '../../transcript/notAsked';
import { styledItems } from '../../transcript/style';
import type { Status } from '../../transcript/types';
import { isHidden } from '../../transcript/visibility';
import { isAskedDisplay, openRequest } from '../../transcript/waiting';
import { ShownCall } from '../displays/ShownCall';
import { type Target, useTargetItem } from '../find/spot';
import { oneLine } from '../parts/clean';
import { count, durationOrEmpty } from '../parts/numbers';
import { useJustArrived } from '../parts/useJustArrived';
import { useGuard } from '../requests/guard';
import { useDisclosure } from '../transcript/disclosure';
import { useReading } from '../transcript/reading';
import { firstLine, unwrapped } from './command';
import { Knot } from './Knot';
import { useBelow } from './NestView';
import { ThoughtView } from './ThoughtView';
import { ToolRow } from './ToolRow';
import { runningIn } from './terminal';
import { words, wordsBesideFailed } from './words';
import { isWritten, shownOf, sizeOf, useWritingTitle } from './writing';
import './tools.css';

/** Rows shown while a group grows, and rows added by each "previous". */
const tail = 5;
const more = 50;
/** Rows shown on both sides of a navigation target. */
const few = 10;
/** Items loaded at a time when only failed ones are shown. */
const failedPage = 500;
/** Most knots on the line of a closed group; a larger one has a single knot. */
const mostKnots = 9;
/** Most requests shown below a group that the user closed. */
const mostCards = 10;

interface GroupProps {
  id: string;
  messageId: string;
  segment: number;
  group: ShownGroup;
  growing: boolean;
  past: boolean;
  nests: readonly (Nest | undefined)[];
}

/** A tool group: one line with a knot per call, or its rows on the thread. */
export function GroupView({ id: key, messageId, segment, group, growing, past, nests }: GroupProps) {
  const { disclosures, hold, thoughts, style } = useReading();
  const chosen = useDisclosure(disclosures, key);
  const failedKey = `${key}:failed`;
  const onlyFailed = useDisclosure(disclosures, failedKey) ?? false;
  const total = callCount(group);
  const onlyThoughts = total === 0;
  const asked = (group.statusCounts['waiting'] ?? 0) > 0;
  const waiting = asked || nests.some((nest) => nest !== undefined && nestFacts(nest).waiting > 0);
  const open = chosen ?? (growing || waiting);
  const shown: Place[] = group.items
    .map((item, i) => ({
      item,
      segment: group.segments?.[i] ?? segment,
      index: group.indices?.[i] ?? group.firstItem + i,
      nest: nests[i],
    }))
    .filter(
      ({ item }) => item.type === 'tool_call' || thoughts === 'in-place' || style.thinking.has(messageId),
    );
  if (onlyThoughts) return <Thoughts places={shown} messageId={messageId} growing={growing} />;

  const status = waiting ? 'waiting' : groupStatus(group);
  const took = groupDuration(group.items);
  const notAsked = countNotAsked(group);
  const failed = group.statusCounts['failed'] ?? 0;
  // A group of one call is shown as its row.
  if (total === 1 && group.firstItem === 0) {
    return (
      <ul className="group-rows" data-single="true">
        {shown.map((place, i) => (
          <GroupItem
            key={`${place.segment}:${place.index}`}
            place={place}
            messageId={messageId}
            growing={growing && i === shown.length - 1}
            past={past}
          />
        ))}
      </ul>
    );
  }
  return (
    <section className="group" data-open={open} data-status={status}>
      <div className="group-head">
        <button
          type="button"
          className="group-line"
          aria-expanded={open}
          onClick={() => {
            hold();
            disclosures.set(key, !open);
          }}
        >
          <Knots places={shown} open={open} status={status} large={total > mostKnots} past={past} />
          <span dir="auto" className="group-label truncate">
            {groupLabel(group, wordsBesideFailed)}
          </span>
          <Command group={group} />
          {!open && <Written group={group} />}
          {!open && notAsked > 0 && (
            <span className="group-not-asked">{t('notAsked.count', { count: notAsked, n: notAsked })}</span>
          )}
          {(group.hidden ?? 0) > 0 && (
            <span className="group-hidden">
              {t('looks.inGroup', { count: group.hidden ?? 0, n: count(group.hidden ?? 0) })}
            </span>
          )}
          <span className="group-time tabular">{durationOrEmpty(took)}</span>
          <ChevronRight className="chevron" size={14} aria-hidden />
        </button>
        {failed > 0 && (
          <button
            type="button"
            className="group-failed"
            aria-pressed={open && onlyFailed}
            data-past={past || chosen !== undefined || undefined}
            title={open && onlyFailed ? t('group.allCalls') : t('group.onlyFailed')}
            onClick={() => {
              hold();
              disclosures.set(failedKey, !(open && onlyFailed));
              disclosures.set(key, true);
            }}
          >
            {t('group.state.failed', { count: failed, n: count(failed) })}
          </button>
        )}
      </div>
      {open ? (
        <Rows
          messageId={messageId}
          segment={segment}
          group={group}
          places={shown}
          growing={growing}
          past={past}
          // A group opened by the user shows everything.
          all={chosen === true}
          onlyFailed={onlyFailed && failed > 0}
        />
      ) : (
        waiting && <Waiting messageId={messageId} places={shown} past={past} />
      )}
    </section>
  );
}

interface Place {
  item: Item;
  segment: number;
  index: number;
  nest: Nest | undefined;
}

interface KnotsProps {
  places: readonly Place[];
  open: boolean;
  status: Status;
  large: boolean;
  past: boolean;
}

function Knots({ places, open, status, large, past }: KnotsProps) {
  const calls = places.filter(({ item }) => item.type === 'tool_call');
  const first = Math.max(0, calls.length - mostKnots);
  if (open || large) {
    // If some of very many failed, their number is enough; the group as a whole has not failed.
    const shownStatus = large && status === 'failed' ? 'completed' : status;
    return (
      <span className="knots" data-open="true" data-calm={shownStatus === 'completed' || undefined}>
        <Knot status={shownStatus} label={shownStatus === status} past={past} />
        {shownStatus !== status && <span className="visually-hidden">{t(`status.${status}`)}</span>}
      </span>
    );
  }
  return (
    <span className="knots">
      {calls
        .slice(first)
        .map(({ item, segment, index }) =>
          item.type === 'tool_call' ? (
            <Knot key={`${segment}:${index}`} status={item.status} label={false} past={past} />
          ) : null,
        )}
      <span className="visually-hidden">{t(`status.${status}`)}</span>
    </span>
  );
}

/** The running command. */
function Command({ group }: { group: ShownGroup }) {
  const call = group.items.findLast((item) => item.type === 'tool_call' && runningIn(item) !== null);
  const runs = call?.type === 'tool_call' ? runningIn(call) : null;
  if (runs === null) return null;
  return (
    <span className="group-command">
      <SquareTerminal size={13} strokeWidth={1.75} aria-hidden />
      <span className="visually-hidden">{t('status.running')} </span>
      <span className="group-command-line mono truncate">{oneLine(firstLine(unwrapped(runs.command)))}</span>
    </span>
  );
}

/** What is being written, in a group that the user closed. */
function Written({ group }: { group: ShownGroup }) {
  const call = group.items.findLast(
    (item) => item.type === 'tool_call' && isWritten(item) && item.visibility === undefined,
  );
  return call?.type === 'tool_call' ? <WrittenCall call={call} /> : null;
}

function WrittenCall({ call }: { call: ToolCall }) {
  const writes = useWritingTitle(call);
  const text = shownOf(call);
  if (text === null) return null;
  const size = sizeOf(text);
  return (
    <span className="group-command">
      <span className="group-command-line tabular truncate">
        {writes}
        {size !== '' && ` · ${size}`}
      </span>
    </span>
  );
}

interface RowsProps {
  messageId: string;
  segment: number;
  group: ShownGroup;
  places: readonly Place[];
  growing: boolean;
  past: boolean;
  all: boolean;
  onlyFailed: boolean;
}

function Rows({ messageId, segment, group, places, growing, past, all, onlyFailed }: RowsProps) {
  const { session, hold, spot } = useReading();
  const weft = useWeft();
  const [extra, setExtra] = useState(0);
  const [raw, setRaw] = useState<readonly Place[]>([]);
  const pulled = useStyled(raw, messageId);
  /** The first loaded item; hidden ones have no rows. */
  const [from, setFrom] = useState<number>();
  const held = [
    ...pulled.filter((one) => one.segment === segment && one.index < (places[0]?.index ?? group.firstItem)),
    ...places,
  ];
  const known = onlyFailed ? held.filter(hasFailed) : held;
  const base = all && !growing ? more : tail;
  // Open rows and pending requests are never left out above.
  const firstOpen = known.findIndex(
    ({ item, nest }) =>
      item.type === 'tool_call' && (isOpen(item.status) || (nest !== undefined && nestFacts(nest).open > 0)),
  );
  const wanted = known.length - base - extra;
  const first = Math.max(
    0,
    firstOpen >= 0 && known.length - firstOpen <= more ? Math.min(wanted, firstOpen) : wanted,
  );
  const visible = known.slice(first);
  // Of the pending requests above, the oldest are shown: each answered one makes room for the next.
  const hidden = known.slice(0, first).filter(waits);
  const oldest = hidden.slice(0, mostCards);
  const start = group.start ?? 0;
  const unheld = Math.max(0, (from ?? group.firstItem) - start);
  // The number of failed items that aren't in memory is known, but not their positions.
  const missing = onlyFailed ? Math.max(0, (group.statusCounts['failed'] ?? 0) - known.length) : unheld;

  // A failure above must not be overlooked.
  const failedAbove = onlyFailed
    ? 0
    : Math.max(0, (group.statusCounts['failed'] ?? 0) - [...visible, ...oldest].filter(hasFailed).length);

  const { spaceId } = session;
  const pull = useCallback(
    async (next: number, to: number) => {
      try {
        const items = await groupItems(weft, { spaceId, messageId, segment, from: next, to });
        const older = itemsOf(items).map((item, i) => ({ item, segment, index: next + i, nest: undefined }));
        setRaw((before) => [...older, ...before]);
        setFrom(next);
      } catch (error) {
        showFailure(t('failed.items'), error);
      }
    },
    [weft, spaceId, messageId, segment],
  );
  const showMore = async () => {
    hold();
    setExtra(extra + more);
    if (first >= more || unheld === 0 || joined) return;
    const to = start + unheld;
    await pull(Math.max(start, to - more * 2), to);
  };
  // Navigating to a call far above shows its neighbors; the range in between stays collapsed.
  const target = useTargetItem(spot, messageId, segment);
  const aside = useAside({ messageId, segment, start, to: from ?? group.firstItem });
  const { goTo } = aside;
  const joined = aside.places.length > 0 && aside.between === 0;
  const above = first + (joined ? 0 : missing);
  const arrived = useRef<Target | null>(null);
  useEffect(() => {
    if (target === null || arrived.current === target) return;
    arrived.current = target;
    const { item } = target.place;
    const at = known.findIndex((one) => one.segment === segment && one.index === item);
    if (at >= 0 && at < first) setExtra(known.length - base - at + few);
    else if (at < 0 && item >= start && item < start + unheld) void goTo(item);
  }, [target, known, first, base, segment, start, unheld, goTo]);
  // A failure may be anywhere above: load until all are found.
  const wantedTo = missing > 0 && onlyFailed && unheld > 0 ? start + unheld : null;
  useEffect(() => {
    if (wantedTo !== null) void pull(Math.max(start, wantedTo - failedPage), wantedTo);
  }, [wantedTo, start, pull]);
  return (
    <>
      {hidden.length > 0 && (
        <>
          <ManyWait waiting={group.statusCounts['waiting'] ?? 0} shown={oldest.length} />
          <ul className="group-rows" aria-label={t('permission.waiting')}>
            {oldest.map((place) => (
              <GroupItem
                key={`${place.segment}:${place.index}`}
                place={place}
                messageId={messageId}
                growing={false}
                past={past}
              />
            ))}
          </ul>
        </>
      )}
      {aside.places.length > 0 && (
        <>
          {aside.before > 0 && (
            <button type="button" className="group-more" onClick={() => void aside.showBefore()}>
              <ChevronUp size={13} aria-hidden />
              {t('group.previous', { count: aside.before, n: count(aside.before) })}
            </button>
          )}
          <ul className="group-rows" aria-label={groupLabel(group, words)}>
            {aside.places.map((place) => (
              <GroupItem
                key={`${place.segment}:${place.index}`}
                place={place}
                messageId={messageId}
                growing={false}
                past={past}
              />
            ))}
          </ul>
        </>
      )}
      {aside.places.length > 0 && aside.between > 0 ? (
        <button type="button" className="group-more" onClick={() => void aside.showBetween()}>
          <ChevronsUpDown size={13} aria-hidden />
          {t('group.between', { count: aside.between + first, n: count(aside.between + first) })}
        </button>
      ) : (
        above > 0 && (
          <button
            type="button"
            className="group-more"
            data-past={past || undefined}
            onClick={() => void showMore()}
          >
            <ChevronUp size={13} aria-hidden />
            {t('group.previous', { count: above, n: count(above) })}
            {failedAbove > 0 && (
              <span className="group-more-failed">
                {t('group.previousFailed', { count: failedAbove, n: count(failedAbove) })}
              </span>
            )}
          </button>
        )
      )}
      <ul className="group-rows" aria-label={groupLabel(group, words)}>
        {visible.map((place, i) => (
          <GroupItem
            key={`${place.segment}:${place.index}`}
            place={place}
            messageId={messageId}
            growing={growing && i === visible.length - 1}
            past={past}
            // Of very many requests only the oldest are shown as cards; a newer one is a line until then.
            asks={hidden.length === 0}
          />
        ))}
      </ul>
    </>
  );
}

/** Loaded items as they are drawn; hidden ones have no rows. */
function useStyled(raw: readonly Place[], messageId: string): Place[] {
  const { session, style } = useReading();
  return useMemo(() => {
    const message = session.store.get().conversation.messages.find(({ id }) => id === messageId);
    const items = styledItems(
      raw.map(({ item }) => item),
      message,
      style,
    );
    return raw
      .map((place, i) => ({ ...place, item: items[i] ?? place.item }))
      .filter(({ item }) => item.type === 'thought' || !isHidden(item));
  }, [raw, style, session, messageId]);
}

interface Aside {
  places: readonly Place[];
  /** Number of items before these, and between them and those in memory. */
  before: number;
  between: number;
  goTo(item: number): Promise<void>;
  showBefore(): Promise<void>;
  showBetween(): Promise<void>;
}

/** A separate range of items around a navigation target. */
function useAside(group: { messageId: string; segment: number; start: number; to: number }): Aside {
  const { messageId, segment, start, to } = group;
  const { session, hold } = useReading();
  const weft = useWeft();
  const [held, setHeld] = useState<{ from: number; places: readonly Place[] }>({ from: 0, places: [] });
  const end = held.from + held.places.length;
  const { spaceId } = session;
  const pull = useCallback(
    async (from: number, until: number): Promise<Place[]> => {
      const items = await groupItems(weft, { spaceId, messageId, segment, from, to: until });
      return itemsOf(items).map((item, i) => ({ item, segment, index: from + i, nest: undefined }));
    },
    [weft, spaceId, messageId, segment],
  );
  const goTo = useCallback(
    async (item: number) => {
      const from = Math.max(start, item - few);
      try {
        const places = await pull(from, Math.min(to, item + few + 1));
        setHeld((now) => {
          // Where both meet, existing items win.
          const last = now.from + now.places.length;
          return now.from <= from && item < last ? now : { from, places };
        });
      } catch (error) {
        showFailure(t('failed.items'), error);
      }
    },
    [pull, start, to],
  );
  const grow = async (from: number, until: number) => {
    hold();
    try {
      const places = await pull(from, until);
      setHeld((now) =>
        until <= now.from
          ? { from, places: [...places, ...now.places] }
          : { ...now, places: [...now.places, ...places] },
      );
    } catch (error) {
      showFailure(t('failed.items'), error);
    }
  };
  const places = useStyled(held.places, messageId);
  return {
    places,
    before: Math.max(0, held.from - start),
    between: Math.max(0, to - end),
    goTo,
    showBefore: () => grow(Math.max(start, held.from - more), held.from),
    showBetween: () => grow(end, Math.min(to, end + more)),
  };
}

function hasFailed({ item }: Place): boolean {
  return item.type === 'tool_call' && item.status === 'failed';
}

function waits({ item, nest }: Place): boolean {
  return (
    (item.type === 'tool_call' && (openRequest(item) !== undefined || isAskedDisplay(item))) ||
    (nest !== undefined && nestFacts(nest).waiting > 0)
  );
}

/**
 * More requests than anyone would answer one by one. There is no button to allow them all: a rule shows what it covers.
 */
function ManyWait({ waiting, shown }: { waiting: number; shown: number }) {
  const { session } = useReading();
  const weft = useWeft();
  const line = useRef<HTMLParagraphElement>(null);
  const guard = useGuard(line);
  return (
    <p ref={line} className="group-many" role="status">
      {t('permission.many', { n: count(waiting), shown: count(shown) })}
      <button
        type="button"
        className="button"
        onClick={() => {
          if (!guard.ready()) return;
          void weft.attempt(t('failed.answer'), () => refuseAllPermissions(weft, session.spaceId));
        }}
      >
        {t('permission.rejectAll')}
      </button>
    </p>
  );
}

function Waiting({
  messageId,
  places,
  past,
}: {
  messageId: string;
  places: readonly Place[];
  past: boolean;
}) {
  const waiting = places.filter(waits);
  return (
    <ul className="group-rows">
      {waiting.slice(0, mostCards).map((place) => (
        <GroupItem
          key={`${place.segment}:${place.index}`}
          place={place}
          messageId={messageId}
          growing={false}
          past={past}
        />
      ))}
      {waiting.length > mostCards && (
        <li className="quiet-text">{t('permission.more', { n: count(waiting.length - mostCards) })}</li>
      )}
    </ul>
  );
}

interface GroupItemProps {
  place: Place;
  messageId: string;
  growing: boolean;
  past: boolean;
  asks?: boolean;
}

function GroupItem({ place, messageId, growing, past, asks = true }: GroupItemProps) {
  const { item, segment, index, nest } = place;
  const id = `${messageId}:${segment}:${index}`;
  // The first one arrives with its row, which fades in as a whole.
  const arrives = useJustArrived(index === 0 ? 0 : item.startedAt);
  const below = useBelow(nest, messageId, item.type === 'tool_call' ? item : undefined);
  return (
    <li className="group-item" data-at={id} data-arrives={arrives || undefined}>
      {item.type === 'thought' ? (
        <ThoughtView id={id} thought={item} growing={growing} />
      ) : isDisplay(item) ? (
        <ShownCall call={item} messageId={messageId} segment={segment} item={index} below={below} />
      ) : (
        <ToolRow
          id={id}
          call={item}
          messageId={messageId}
          segment={segment}
          item={index}
          below={below}
          past={past}
          asks={asks}
        />
      )}
    </li>
  );
}

function Thoughts({
  places,
  messageId,
  growing,
}: {
  places: readonly Place[];
  messageId: string;
  growing: boolean;
}) {
  return (
    <ul className="group-rows" data-single="true">
      {places.map(({ item, segment, index }, i) => {
        const id = `${messageId}:${segment}:${index}`;
        return item.type === 'thought' ? (
          <li className="group-item" key={id} data-at={id}>
            <ThoughtView id={id} thought={item} growing={growing && i === places.length - 1} />
          </li>
        ) : null;
      })}
    </ul>
  );
}
