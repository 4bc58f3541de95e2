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
import { arrivalDirection, forksOf } from '../../state/branches';
import { FrameJob } from '../../state/frame';
import { messagePlace } from '../../state/link';
import { showFailure } from '../../state/notify';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { SpacePlace, Tree } from '../../transport/api';
import { FindBar } from '../find/FindBar';
import { newSpot } from '../find/spot';
import { useMarks } from '../find/useMarks';
import { Rail } from '../outline/Rail';
import { releaseFocus, wouldHideFocus } from '../parts/focusInView';
import { titleOf } from '../parts/spaceTitle';
import { copyLink } from '../places/copyLink';
import { Announcer } from './Announcer';
import { cameSince, drawnAtEnd, keptFrom, none } from './above';
import { type Anchor, anchorAt, isKept } from './anchor';
import { startMoved, useSingleEndChange } from './ends';
import * as stick from './followState';
import { growingAt, Item, ListEnd, ListEndContext, useQuietEnd } from './growing';
import { Jump } from './Jump';
import { disclosuresOf, type Position, positions } from './memory';
import { TranscriptModel } from './model';
import { Quote } from './Quote';
import { RowView } from './RowView';
import { ReadingContext } from './reading';
import { aimAt, listMargin, nearest, RowScroll } from './rowScroll';
import { placeOf, type Row, readAt } from './rows';
import { useAuthorColors } from './useAuthorColors';
import { useDropDistant } from './useDropDistant';
import { useReveal } from './useReveal';
import { useSteps } from './useSteps';
import { useUserScroll } from './useUserScroll';
import './transcript.css';

/** Distance from the top of the view to the line that counts as the reading position, for the outline. */
const readingLine = 80;
/** Distance from the end of the loaded range at which more is loaded, in view heights. */
const ahead = 1.5;
/**
 * How far beyond the view rows are rendered, in pixels. The list renders those just above the view while idle and drops
 * them with the first frame that scrolls down. While following a streaming answer, they would be remounted for each of
 * its rows, just when there is something to show: then, rows that were in view stay mounted up to this distance.
 */
const buffer = 400;
/** Most pending displays that stay mounted outside of the view. */
const mostKept = 20;

interface TranscriptProps {
  session: Session;
  /** Whether the search bar is open. */
  finding: boolean;
  /** The search was closed. */
  onFound(): void;
}

/** The transcript of a space: a virtual list that follows its end unless the user has scrolled up. */
export const Transcript = memo(function Transcript({ session, finding, onFound }: TranscriptProps) {
  const weft = useWeft();
  const thoughts = useStore(weft.server, (state) => state.appearance.thoughts);
  // If the end isn't loaded, new content is not visible in any row.
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
  // Before painting: calls that the user hides disappear together with the menu.
  useLayoutEffect(() => model.setLooks(looks), [model, looks]);
  /** The rendered rows. */
  const before = useRef<readonly Row[]>([]);
  const rows = useSingleEndChange(
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
  const [shown, setShown] = useState({ ...state.current, unseen: false });

  const toSettle = useRef(() => {});
  const hand = useUserScroll(scroller, toSettle);

  const measure = useCallback((): stick.Measure | null => {
    const element = scroller.current;
    if (element === null) return null;
    const { scrollTop: offset, scrollHeight: size, clientHeight: view } = element;
    return { offset, size, view, continues: session.store.get().conversation.hasAfter };
  }, [session]);
  const put = useCallback(
    (next: stick.FollowState) => {
      const { follows, unseen, seesEnd } = state.current;
      state.current = next;
      session.atEnd = next.follows;
      if (follows !== next.follows || unseen !== next.unseen || seesEnd !== next.seesEnd) setShown(next);
    },
    [session],
  );
  const growing = growingAt(rows, shown.follows);
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
    const failed = (error: unknown) => showFailure(t('failed.page'), error);
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
    if (by === 'list' && state.current.follows && !stick.atEnd(now)) toSettle.current();
    pull();
  }, [measure, put, pull, hand]);

  userScrolled.current = onScroll;

  // Bypasses React's events, because this fires with every frame while streaming.
  useEffect(() => {
    const element = scroller.current;
    element?.addEventListener('scroll', onScroll, { passive: true });
    return () => element?.removeEventListener('scroll', onScroll);
  }, [onScroll]);

  // If the keyboard focus is in what the user reads, following stops before that goes out of view.
  const follow = useCallback(() => {
    const now = measure();
    const element = scroller.current;
    if (now === null || element === null) return;
    if (!wouldHideFocus(element, stick.distance(now))) return toEnd();
    const held = stick.held(state.current);
    put(now.size > held.size ? stick.grew(held) : held);
  }, [measure, put, toEnd]);

  // Following the end costs one layout per frame: when the list reports a new size or, if its estimate was right and it
  // doesn't, in the next frame.
  const settle = useMemo(
    () =>
      new FrameJob(() => {
        // What is pressed or selected must not move; following resumes when it is released.
        if (state.current.follows && !hand.presses()) follow();
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

  // Rows added or removed at the start must not move the view.
  const shift = startMoved(before.current, rows);
  if (shift) end.startMoves(rows.length);
  useLayoutEffect(() => {
    const lastKey = before.current.at(-1);
    before.current = rows;
    if (!state.current.follows && lastKey !== rows.at(-1)) put(stick.grew(state.current));
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
      if (!state.current.follows && text !== null) put(stick.grew(state.current));
      // An observed row reports its height itself.
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
    releaseFocus();
    hand.leave();
    put(stick.jumped(state.current));
    if (!session.store.get().conversation.hasAfter) {
      toEnd();
      return;
    }
    // The end is loaded again; events of the old rows are irrelevant for the new ones.
    void session.open().then(() => {
      if (isGoing()) return;
      // The new list may have inherited the old scroll position.
      scroll.stop();
      put(stick.jumped(state.current));
      settle.ask();
    });
  }, [leave, isGoing, put, session, toEnd, settle, scroll, hand]);

  // After sending, the user wants to see the result.
  const sent = useStore(session.store, (state) => state.sent);
  const seenSent = useRef(sent);
  useLayoutEffect(() => {
    if (sent !== seenSent.current) jump();
    seenSent.current = sent;
  }, [sent, jump]);

  const depart = useCallback(() => {
    leave();
    releaseFocus();
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
  useDropDistant(session, list, scroller, before);
  // When the user switches branches, stay where the branches part.
  useLayoutEffect(() => {
    for (const fork of forks.values()) {
      if (arrivalDirection(session.spaceId, fork) !== null) show(fork.messageId);
    }
  }, [forks, session, show]);
  const edit = () => {
    const focused = document.activeElement?.closest<HTMLElement>('[data-prompt]')?.dataset['prompt'];
    const last = session.store.get().conversation.messages.findLast(({ role }) => role === 'user')?.id;
    const messageId = focused ?? last;
    if (messageId === undefined || !show(messageId)) return;
    weft.shown.set({ editing: { spaceId: session.spaceId, messageId } });
  };
  // The prompt that was edited last stays mounted: it gets the focus after its form, wherever the view is by then.
  const [edited, setEdited] = useState<string | null>(null);
  if (editing !== null && editing !== edited) setEdited(editing);
  const follows = works && shown.follows;
  const above = useRef(none);
  const fresh = useRef(0);
  // Pending requests stay mounted, so that the user can navigate to them from anywhere.
  const mounted = useMemo(() => {
    // The list knows positions of its previous rows; rows added at the start have moved them.
    const came = cameSince(before.current, rows);
    const from =
      follows && !shift ? keptFrom(list.current, above.current, came, state.current.offset, buffer) : none;
    above.current = from;
    // If the start was dropped right after rows arrived, these aren't in the view yet.
    if (!shift) fresh.current = drawnAtEnd(came, list.current?.viewportSize ?? 0);
    const ends = shown.follows ? rows.length - fresh.current : none;
    const kept: number[] = [];
    for (const [i, row] of rows.entries()) {
      const asks = row.kind === 'shown' && row.call.status === 'waiting' && kept.length < mostKept;
      if (asks || i >= Math.min(ends, from) || row.key === edited) kept.push(i);
    }
    return kept;
  }, [edited, rows, shift, shown.follows, follows]);
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

  const voices = useAuthorColors(session);
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
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
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
          <BranchStart spaceId={session.spaceId} tree={tree} />
          <div className="transcript-bottom" />
        </div>
        {(away || !(shown.follows || shown.seesEnd)) && rows.length > 0 && (
          <Jump unseen={shown.unseen || news} onJump={jump} />
        )}
        {finding && <FindBar session={session} spot={spot} {...goes} onClose={onFound} />}
        <Rail session={session} scroller={scroller} />
        <Quote scroller={scroller} />
        <Announcer session={session} />
      </div>
    </ReadingContext>
  );
});

const drawings = new WeakMap<Row, ReactElement>();

/** Caches the element of a row, so that adding one doesn't re-render the others. */
function drawn(row: Row): ReactElement {
  let drawing = drawings.get(row);
  if (drawing === undefined) {
    drawing = <RowView key={row.key} row={row} />;
    drawings.set(row, drawing);
  }
  return drawing;
}

/** The location of the focus: a call, or its message. */
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

/** Shows where an empty branch starts. */
function BranchStart({ spaceId, tree }: { spaceId: string; tree: Tree | null }) {
  const weft = useWeft();
  const own = tree?.spaces.find(({ space }) => space.id === spaceId);
  const parent = tree?.spaces.find(({ space }) => space.id === own?.parent)?.space;
  if (own === undefined || own.messages > 0 || parent === undefined) return null;
  return (
    <p className="branch-start">
      {t('branches.begins')}{' '}
      <button type="button" className="text-button" onClick={() => weft.select(parent.id)}>
        {titleOf(parent)}
      </button>
    </p>
  );
}

/** The document of the last row if its text may grow. */
function endOf(rows: readonly Row[]): DocumentSnapshot | null {
  const last = rows.at(-1);
  return last?.kind === 'prose' ? last.document.getSnapshot() : null;
}

/** Reports the user's position, for back navigation. */
function useReader(
  spaceId: string,
  model: TranscriptModel,
  list: React.RefObject<VirtualizerHandle | null>,
  scroller: React.RefObject<HTMLDivElement | null>,
  state: React.RefObject<stick.FollowState>,
): void {
  const weft = useWeft();
  useEffect(() => {
    const view = () => {
      const handle = list.current;
      if (handle === null) return null;
      const { scrollTop = 0 } = scroller.current ?? {};
      // While following the end, the view may not be there yet.
      const end = state.current.follows ? handle.scrollSize - handle.viewportSize : 0;
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
      // No measuring here, because this runs with every frame while streaming. A line that just scrolled in at the top
      // is not the reading position; while following, it is the last one.
      const index = state.current.follows
        ? rows.length - 1
        : handle.findItemIndex(handle.scrollOffset + readingLine);
      const row = rows[index];
      if (row === undefined || !('message' in row)) return;
      const { ord } = row.message;
      const { segment } = readAt(row);
      const now = { spaceId, ord: ord < 0 ? Number.MAX_SAFE_INTEGER : ord, segment };
      const was = weft.readingPosition.get();
      if (was.spaceId !== spaceId || was.ord !== now.ord || was.segment !== now.segment)
        weft.readingPosition.set(now);
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

/** Restores the scroll position or goes to the end, and stores the position when the space is left. */
function useRestoredPosition(
  session: Session,
  generation: number,
  model: TranscriptModel,
  list: React.RefObject<VirtualizerHandle | null>,
  scroller: React.RefObject<HTMLDivElement | null>,
  scroll: RowScroll,
  state: React.RefObject<stick.FollowState>,
  put: (next: stick.FollowState) => void,
): void {
  const place = useRef<Position | null>(positions.get(session.spaceId) ?? null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a snapshot is a new list at the old place
  useLayoutEffect(() => {
    const handle = list.current;
    const element = scroller.current;
    const kept = place.current;
    if (handle === null || element === null || state.current.follows || kept?.key === undefined) return;
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
