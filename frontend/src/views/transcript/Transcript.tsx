import {
  memo,
  type ReactElement,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { t } from '../../i18n';
import { useActions } from '../../keyboard/actions';
import type { DocumentSnapshot } from '../../markdown';
import { useTree } from '../../queries/spaces';
import { cameAlong, forksOf } from '../../state/branches';
import { FrameJob } from '../../state/frame';
import { messagePlace } from '../../state/link';
import { sayFailed } from '../../state/notify';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { SpacePlace, Tree } from '../../transport/api';
import { FindBar } from '../find/FindBar';
import { newSpot } from '../find/spot';
import { useMarks } from '../find/useMarks';
import { Rail } from '../outline/Rail';
import { leaveFocus, wouldHideFocus } from '../parts/focusInView';
import { titleOf } from '../parts/spaceTitle';
import { copyLink } from '../places/copyLink';
import { Announcer } from './Announcer';
import { cameSince, drawnAtEnd, keptFrom, none } from './above';
import { type Anchor, anchorAt, isKept } from './anchor';
import { startMoved, useOneEnd } from './ends';
import { growingAt, Item, ListEnd, ListEndContext, useQuietEnd } from './growing';
import { Jump } from './Jump';
import { disclosuresOf, type Position, positions } from './memory';
import { TranscriptModel } from './model';
import { Quote } from './Quote';
import { RowView } from './RowView';
import { ReadingContext } from './reading';
import { aimAt, listMargin, nearest, RowScroll } from './rowScroll';
import { placeOf, type Row, readAt } from './rows';
import * as stick from './stick';
import { useHand } from './useHand';
import { useRest } from './useRest';
import { useReveal } from './useReveal';
import { useSteps } from './useSteps';
import { useVoices } from './useVoices';
import './transcript.css';

/** How far below the top of the view the line is that is read, for the outline. */
const readingLine = 80;
/** How close to what is not held the view may come before it is pulled, in view heights. */
const ahead = 1.5;
/**
 * How far beyond the view rows are drawn, in pixels. The list draws those just above the view while nothing scrolls and drops them with the first
 * frame that scrolls down. Where the end of an answer is followed, they would be made again for each of its rows, just when there is
 * something to show: there, what was in view stays drawn until it is so far away.
 */
const buffer = 400;
/** Displays that wait and are drawn though they are out of the view. */
const mostKept = 20;

interface TranscriptProps {
  session: Session;
  /** Whether the conversation is searched. */
  finding: boolean;
  /** The search was closed. */
  onFound(): void;
}

/** The transcript of a space: a virtual list that follows its end unless the user reads above. */
export const Transcript = memo(function Transcript({ session, finding, onFound }: TranscriptProps) {
  const weft = useWeft();
  const thoughts = useStore(weft.server, (state) => state.appearance.thoughts);
  // With its end not held, what a turn adds is news that no row shows.
  const away = useStore(session.store, ({ conversation }) => conversation.hasAfter);
  const works = useStore(session.store, ({ conversation }) => conversation.runs.length > 0);
  const news = away && works;
  const generation = useStore(session.store, (state) => state.generation);
  const model = useMemo(
    () =>
      new TranscriptModel(session, weft.server.get().appearance.thoughts, weft.server.get().toolCalls.looks),
    [session, weft],
  );
  const looks = useStore(weft.server, (state) => state.toolCalls.looks);
  useEffect(() => model.follow(), [model]);
  useEffect(() => model.setThoughts(thoughts), [model, thoughts]);
  // Before it is painted: what the user hides goes with the menu that says so.
  useLayoutEffect(() => model.setLooks(looks), [model, looks]);
  /** The rows that are drawn. */
  const before = useRef<readonly Row[]>([]);
  const rows = useOneEnd(
    before,
    useStore(model.store, (state) => state.rows),
  );
  const style = useStore(model.store, (state) => state.style);

  const frame = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const [scroll] = useState(() => new RowScroll());
  useEffect(() => scroll.stop, [scroll]);
  const state = useRef(positions.get(session.spaceId)?.stick ?? stick.following);
  const [shown, setShown] = useState({ stuck: state.current.stuck, unseen: false });

  const toSettle = useRef(() => {});
  const hand = useHand(scroller, toSettle);

  const measure = useCallback((): stick.Measure | null => {
    const element = scroller.current;
    if (element === null) return null;
    const { scrollTop: offset, scrollHeight: size, clientHeight: view } = element;
    return { offset, size, view, continues: session.store.get().conversation.hasAfter };
  }, [session]);
  const put = useCallback(
    (next: stick.Stick) => {
      const { stuck, unseen } = state.current;
      state.current = next;
      session.atEnd = next.stuck;
      if (stuck !== next.stuck || unseen !== next.unseen)
        setShown({ stuck: next.stuck, unseen: next.unseen });
    },
    [session],
  );
  const growing = growingAt(rows, shown.stuck);
  const userScrolled = useRef(() => {});
  const [end] = useState(() => new ListEnd());
  useLayoutEffect(() => end.moved(growing, rows.length), [end, growing, rows]);
  useLayoutEffect(() => end.leave, [end]);
  const filled = useCallback(
    (top: number) => {
      const handle = list.current;
      if (handle === null || handle.viewportSize === 0) return true;
      return end.holds(handle.findItemIndex(top), handle.findItemIndex(top + handle.viewportSize));
    },
    [end],
  );
  const wentToEnd = useQuietEnd({
    ...{ frame, scroller, rows, tell: end.tell },
    grows: growing >= 0,
    byHand: hand.scrolls,
    scrolled: userScrolled,
    filled,
  });
  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    element.scrollTop = element.scrollHeight;
    wentToEnd();
  }, [wentToEnd]);

  const pull = useCallback(() => {
    const now = measure();
    if (now === null || now.view === 0) return;
    const failed = (error: unknown) => sayFailed(t('failed.page'), error);
    if (now.offset < now.view * ahead) void session.loadBefore().catch(failed);
    if (stick.distance(now) < now.view * ahead) void session.loadAfter().catch(failed);
  }, [measure, session]);

  const anchor = useRef<Anchor | null>(null);
  const onScroll = useCallback(() => {
    const now = measure();
    if (now === null) return;
    const by = stick.moverOf(state.current, now, {
      kept: () => isKept(anchor.current, list.current, before.current, now.offset),
      hand: hand.scrolls,
    });
    put(stick.scrolled(state.current, now, by));
    anchor.current = anchorAt(list.current, before.current, now.offset);
    if (by === 'list' && state.current.stuck && !stick.atEnd(now)) toSettle.current();
    pull();
  }, [measure, put, pull, hand]);

  userScrolled.current = onScroll;

  // Past React's own events: this comes with every frame while something streams.
  useEffect(() => {
    const element = scroller.current;
    element?.addEventListener('scroll', onScroll, { passive: true });
    return () => element?.removeEventListener('scroll', onScroll);
  }, [onScroll]);

  // Where keys have the focus at what is read, the end is left alone before that goes out of view.
  const follow = useCallback(() => {
    const now = measure();
    const element = scroller.current;
    if (now === null || element === null) return;
    if (!wouldHideFocus(element, stick.distance(now))) return toEnd();
    const held = stick.held(state.current);
    put(now.size > held.size ? stick.grew(held) : held);
  }, [measure, put, toEnd]);

  // Following the end costs one layout per frame: when the list reports a new size, or where it
  // does not because its guess was right, in the next frame.
  const settle = useMemo(
    () =>
      new FrameJob(() => {
        // What is pressed or selected stays under the hand; the end is followed when it lets go.
        if (state.current.stuck && !hand.presses()) follow();
        const now = measure();
        if (now !== null) {
          put(stick.resized(state.current, now));
          anchor.current = anchorAt(list.current, before.current, now.offset);
        }
        pull();
      }),
    [measure, put, follow, pull, hand],
  );
  toSettle.current = () => settle.ask();
  useEffect(() => () => settle.cancel(), [settle]);
  const onResize = useCallback(() => {
    settle.ask();
    settle.run();
  }, [settle]);

  // Rows that came or went at the start must not move those that are read.
  const shift = startMoved(before.current, rows);
  if (shift) end.startMoves(rows.length);
  useLayoutEffect(() => {
    const lastKey = before.current.at(-1);
    before.current = rows;
    if (!state.current.stuck && lastKey !== rows.at(-1)) put(stick.grew(state.current));
    settle.ask();
  }, [rows, put, settle]);

  // A text grows within its row.
  const watched = useRef(false);
  watched.current = growing >= 0;
  useEffect(() => {
    let text = endOf(model.store.get().rows);
    return model.onGrowth(() => {
      const next = endOf(model.store.get().rows);
      if (next === text) return;
      text = next;
      if (!state.current.stuck && text !== null) put(stick.grew(state.current));
      // Where the row is watched, it says itself when it is higher.
      if (!watched.current) settle.ask();
    });
  }, [model, put, settle]);

  useRestoredPosition(session, generation, model, list, scroller, scroll, state, put);

  const hold = useCallback(() => put(stick.held(state.current)), [put]);
  const [spot] = useState(newSpot);
  const marks = useMarks(scroller, spot);
  const { leave, isGoing, ...goes } = useReveal({
    session,
    model,
    rows,
    style,
    list,
    scroller,
    scroll,
    spot,
    marks,
    hold,
  });
  const jump = useCallback(() => {
    leave();
    leaveFocus();
    hand.leave();
    put(stick.jumped(state.current));
    if (!session.store.get().conversation.hasAfter) {
      toEnd();
      return;
    }
    // The end is read again; what happens to the old rows meanwhile says nothing about the new ones.
    void session.open().then(() => {
      if (isGoing()) return;
      // The new list may have been put where the old one was left.
      scroll.stop();
      put(stick.jumped(state.current));
      settle.ask();
    });
  }, [leave, isGoing, put, session, toEnd, settle, scroll, hand]);

  // Who sends something wants to see what becomes of it.
  const sent = useStore(session.store, (state) => state.sent);
  const seenSent = useRef(sent);
  useLayoutEffect(() => {
    if (sent !== seenSent.current) jump();
    seenSent.current = sent;
  }, [sent, jump]);

  const depart = useCallback(() => {
    leave();
    leaveFocus();
    hold();
  }, [leave, hold]);
  const step = useSteps({ list, scroller, rows: before, scroll, hold: depart, toEnd: jump, left: goes.left });
  const tree = useTree(session.spaceId);
  const forks = useMemo(() => forksOf(tree), [tree]);
  const editing = useStore(weft.shown, (state) =>
    state.editing?.spaceId === session.spaceId ? state.editing.messageId : null,
  );
  const show = useCallback(
    (messageId: string) => {
      const index = before.current.findIndex((row) => row.key === messageId);
      if (index < 0) return false;
      depart();
      const [handle, element] = [list.current, scroller.current];
      if (handle === null || element === null) return false;
      const offset = nearest(handle, index, element);
      scroll.begin(
        element,
        aimAt(handle, () => before.current, messageId, offset),
      );
      return true;
    },
    [depart, scroll],
  );
  useReader(session.spaceId, model, list, scroller, state);
  useRest(session, list, scroller, before);
  // Who goes to another branch stays where the branches part.
  useLayoutEffect(() => {
    for (const fork of forks.values()) {
      if (cameAlong(session.spaceId, fork) !== null) show(fork.messageId);
    }
  }, [forks, session, show]);
  const edit = () => {
    const focused = document.activeElement?.closest<HTMLElement>('[data-prompt]')?.dataset['prompt'];
    const last = session.store.get().conversation.messages.findLast(({ role }) => role === 'user')?.id;
    const messageId = focused ?? last;
    if (messageId === undefined || !show(messageId)) return;
    weft.shown.set({ editing: { spaceId: session.spaceId, messageId } });
  };
  // The prompt that was edited last stays in the page: it has the focus after its form, wherever the view is by then.
  const [edited, setEdited] = useState<string | null>(null);
  if (editing !== null && editing !== edited) setEdited(editing);
  const follows = works && shown.stuck;
  const above = useRef(none);
  const fresh = useRef(0);
  // What waits for the user can be gone to from wherever one reads.
  const mounted = useMemo(() => {
    // The list knows where the rows were that it has; what has come at the start has moved them.
    const came = cameSince(before.current, rows);
    const from =
      follows && !shift ? keptFrom(list.current, above.current, came, state.current.offset, buffer) : none;
    above.current = from;
    // Where the start was dropped just after rows have come, these are not in the view yet.
    if (!shift) fresh.current = drawnAtEnd(came, list.current?.viewportSize ?? 0);
    const ends = shown.stuck ? rows.length - fresh.current : none;
    const kept: number[] = [];
    for (const [i, row] of rows.entries()) {
      const asks = row.kind === 'shown' && row.call.status === 'waiting' && kept.length < mostKept;
      if (asks || i >= Math.min(ends, from) || row.key === edited) kept.push(i);
    }
    return kept;
  }, [edited, rows, shift, shown.stuck, follows]);
  end.grew = onResize;
  useActions([
    {
      id: 'prompt.edit',
      title: t('action.editPrompt'),
      section: t('section.transcript'),
      keys: 'e',
      keywords: ['resend', 'branch', 'change'],
      run: edit,
    },
    {
      id: 'message.link',
      title: t('action.copyLink'),
      section: t('section.transcript'),
      keys: 'y',
      keywords: ['url', 'share', 'place'],
      run: () => {
        const place = focusedPlace() ?? weft.reading?.view()?.place;
        if (place !== undefined) copyLink(session.spaceId, place);
      },
    },
    {
      id: 'message.previous',
      title: t('action.previousMessage'),
      section: t('section.transcript'),
      keys: 'alt+ArrowUp',
      run: () => step(-1),
    },
    {
      id: 'message.next',
      title: t('action.nextMessage'),
      section: t('section.transcript'),
      keys: 'alt+ArrowDown',
      run: () => step(1),
    },
    {
      id: 'transcript.end',
      title: t('action.toEnd'),
      section: t('section.transcript'),
      keys: 'mod+End',
      run: jump,
    },
  ]);

  const voices = useVoices(session);
  const reading = useMemo(
    () => ({
      session,
      disclosures: disclosuresOf(session.spaceId),
      thoughts,
      forks,
      voices,
      style,
      spot,
      reveal: (messageId: string, shown: boolean) => model.reveal(messageId, shown),
      hold,
    }),
    [session, thoughts, forks, voices, style, spot, model, hold],
  );
  return (
    <ReadingContext value={reading}>
      <div ref={frame} className="transcript" data-finding={finding || undefined}>
        <div
          ref={scroller}
          className="transcript-scroll"
          role="log"
          aria-live="off"
          aria-label={t('transcript.label')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by key
          tabIndex={0}
        >
          <div className="transcript-top" />
          <ListEndContext value={end}>
            <Virtualizer
              ref={list}
              data={rows}
              item={Item}
              shift={shift}
              startMargin={listMargin}
              bufferSize={above.current === none ? buffer : 0}
              keepMounted={mounted}
              scrollRef={scroller}
              onResize={onResize}
            >
              {drawn}
            </Virtualizer>
          </ListEndContext>
          <Begins spaceId={session.spaceId} tree={tree} />
          <div className="transcript-bottom" />
        </div>
        {(!shown.stuck || away) && rows.length > 0 && <Jump unseen={shown.unseen || news} onJump={jump} />}
        {finding && <FindBar session={session} spot={spot} {...goes} onClose={onFound} />}
        <Rail session={session} scroller={scroller} />
        <Quote scroller={scroller} />
        <Announcer session={session} />
      </div>
    </ReadingContext>
  );
});

const drawings = new WeakMap<Row, ReactElement>();

/** A row as it is drawn: the same as the last time, so that the list draws none again because another has come. */
function drawn(row: Row): ReactElement {
  let drawing = drawings.get(row);
  if (drawing === undefined) {
    drawing = <RowView key={row.key} row={row} />;
    drawings.set(row, drawing);
  }
  return drawing;
}

/** The place of what has the focus: a call, or the message that it is in. */
function focusedPlace(): SpacePlace | undefined {
  const at = document.activeElement
    ?.closest<HTMLElement>('.transcript-scroll [data-at]')
    ?.dataset['at']?.split(':');
  if (at === undefined) {
    const row = document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset['row'];
    return row === undefined ? undefined : messagePlace(row.split(':')[0] ?? '');
  }
  const [messageId = '', segment, item] = at;
  return { messageId, segment: Number(segment ?? -1), item: Number(item ?? -1) };
}

/** Tells where a branch began, while nothing was said in it. */
function Begins({ spaceId, tree }: { spaceId: string; tree: Tree | null }) {
  const weft = useWeft();
  const own = tree?.spaces.find(({ space }) => space.id === spaceId);
  const parent = tree?.spaces.find(({ space }) => space.id === own?.parent)?.space;
  if (own === undefined || own.messages > 0 || parent === undefined) return null;
  return (
    <p className="branch-begins">
      {t('branches.begins')}{' '}
      <button type="button" className="text-button" onClick={() => weft.select(parent.id)}>
        {titleOf(parent)}
      </button>
    </p>
  );
}

/** What the last row shows of a text that may grow within it. */
function endOf(rows: readonly Row[]): DocumentSnapshot | null {
  const last = rows.at(-1);
  return last?.kind === 'prose' ? last.document.getSnapshot() : null;
}

/** Tells where the user reads, for the way back to there. */
function useReader(
  spaceId: string,
  model: TranscriptModel,
  list: React.RefObject<VirtualizerHandle | null>,
  scroller: React.RefObject<HTMLDivElement | null>,
  state: React.RefObject<stick.Stick>,
): void {
  const weft = useWeft();
  useEffect(() => {
    const view = () => {
      const handle = list.current;
      if (handle === null) return null;
      const { scrollTop = 0 } = scroller.current ?? {};
      // Where the end is followed, the view may not be there yet.
      const end = state.current.stuck ? handle.scrollSize - handle.viewportSize : 0;
      const top = Math.max(scrollTop, end);
      const index = handle.findItemIndex(top);
      const row = model.store.get().rows[index];
      if (row === undefined || !('message' in row)) return null;
      return { place: placeOf(row), key: row.key, within: top - handle.getItemOffset(index) - listMargin };
    };
    const reading = { spaceId, view };
    weft.reading = reading;
    const tell = new FrameJob(() => {
      const handle = list.current;
      if (handle === null) return;
      const { rows } = model.store.get();
      // Nothing is measured here: this comes with every frame while something streams. A line that has just come into the view from
      // above is not what is read; where the end is followed, it is the last one.
      const index = state.current.stuck
        ? rows.length - 1
        : handle.findItemIndex(handle.scrollOffset + readingLine);
      const row = rows[index];
      if (row === undefined || !('message' in row)) return;
      const { ord } = row.message;
      const { segment } = readAt(row);
      const now = { spaceId, ord: ord < 0 ? Number.MAX_SAFE_INTEGER : ord, segment };
      const was = weft.readsAt.get();
      if (was.spaceId !== spaceId || was.ord !== now.ord || was.segment !== now.segment)
        weft.readsAt.set(now);
    });
    const ask = () => tell.ask();
    const element = scroller.current;
    element?.addEventListener('scroll', ask, { passive: true });
    const stop = model.store.subscribe(ask);
    ask();
    return () => {
      tell.cancel();
      stop();
      element?.removeEventListener('scroll', ask);
      if (weft.reading === reading) weft.reading = null;
    };
  }, [weft, spaceId, model, list, scroller, state]);
}

/** Puts the view where it was left, or at the end, and remembers it when the space is left. */
function useRestoredPosition(
  session: Session,
  generation: number,
  model: TranscriptModel,
  list: React.RefObject<VirtualizerHandle | null>,
  scroller: React.RefObject<HTMLDivElement | null>,
  scroll: RowScroll,
  state: React.RefObject<stick.Stick>,
  put: (next: stick.Stick) => void,
): void {
  const place = useRef<Position | null>(positions.get(session.spaceId) ?? null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a snapshot is a new list at the old place
  useLayoutEffect(() => {
    const handle = list.current;
    const element = scroller.current;
    const kept = place.current;
    if (handle === null || element === null || state.current.stuck || kept?.key === undefined) return;
    const { key, within } = kept;
    const aim = aimAt(handle, () => model.store.get().rows, key, within);
    if (aim() === null) put(stick.jumped(state.current));
    else scroll.begin(element, aim);
  }, [generation]);

  useEffect(() => {
    const element = scroller.current;
    const remember = () => {
      const handle = list.current;
      if (handle === null || element === null) return;
      const index = handle.findItemIndex(element.scrollTop);
      place.current = {
        stick: state.current,
        key: model.store.get().rows[index]?.key,
        within: element.scrollTop - handle.getItemOffset(index) - listMargin,
      };
      positions.set(session.spaceId, place.current);
    };
    element?.addEventListener('scroll', remember, { passive: true });
    return () => element?.removeEventListener('scroll', remember);
  }, [session, model, list, scroller, state]);
}
