import { ArrowDown, ArrowUp, X } from 'lucide-react';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { t } from '../../i18n';
import { useActions } from '../../keyboard/actions';
import { hitFrom, isFrom, SpaceFind, sameHit } from '../../state/find';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { holds } from '../../state/window';
import type { FindHit, SpacePlace } from '../../transport/api';
import { withoutAnsi } from '../parts/ansi';
import { oneLine } from '../parts/clean';
import { count } from '../parts/numbers';
import { returnFocus } from '../parts/returnFocus';
import { folded } from './fold';
import type { Spot, Target } from './spot';
import './find.css';

/** Delay after typing before a space is searched, in ms. */
const rest = 120;

interface FindBarProps {
  session: Session;
  spot: Spot;
  /** Scrolls to a match. */
  go(target: Target): Promise<void>;
  /** Moves the focus to the current match; returns false if there is none. */
  focus(): boolean;
  /** How often the user has navigated elsewhere in the conversation. */
  left(): number;
  onClose(): void;
}

/** Searches the whole conversation, including parts that aren't mounted. */
export function FindBar({ session, spot, go, focus, left, onClose }: FindBarProps) {
  const weft = useWeft();
  const find = useMemo(() => new SpaceFind(weft.transport, session), [weft, session]);
  const { query, hits, done, capped, error } = useStore(find.store, (state) => state);
  const [text, setText] = useState(() => selected() || spot.get().query);
  const [chosen, setChosen] = useState<FindHit | null>(null);
  /** Whether the user was taken to the current match. */
  const [visited, setVisited] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const opener = useRef<Element | null>(null);
  /** The user's position: matches are counted from there. */
  const from = useRef({ ord: 0, segment: 0 });
  /** The value of left() when the search was opened, and when the text was typed. */
  const wasLeft = useRef({ opened: left(), typed: left() });

  useLayoutEffect(() => {
    opener.current = document.activeElement;
    from.current = readingAt(session, weft.reading?.spaceId === session.spaceId ? weft.reading.view() : null);
    field.current?.focus();
    field.current?.select();
  }, [session, weft]);
  useEffect(() => () => find.stop(), [find]);
  useEffect(() => {
    const wanted = folded(text) === '' ? '' : text;
    spot.set({ query: wanted });
    wasLeft.current.typed = left();
    setVisited(false);
    const timer = setTimeout(() => find.search(wanted), wanted === '' ? 0 : rest);
    return () => clearTimeout(timer);
  }, [text, find, spot, left]);
  // If a search elsewhere leads here while the bar is open, its query replaces this one.
  const marked = useStore(spot, (state) => state.query);
  useEffect(() => {
    if (marked !== '') setText(marked);
  }, [marked]);
  // Clears the highlights together with the bar.
  useLayoutEffect(
    () => () => {
      spot.set({ query: '' });
    },
    [spot],
  );

  const at = chosen === null ? -1 : hits.findIndex((hit) => sameHit(hit, chosen));
  const show = useCallback(
    (hit: FindHit, opens: boolean) => {
      const { messageId, segment, item, source, start } = hit;
      const [before, after] = [withoutAnsi(hit.before), withoutAnsi(hit.after)];
      const mark = { query: withoutAnsi(hit.text), before, after, source, start };
      void go({ place: { messageId, segment, item }, mark, view: null, opens });
    },
    [go],
  );
  // Selects the first match from the user's position, and scrolls to it unless something would have to be opened.
  useEffect(() => {
    if (query === '' || query !== text || at >= 0) return;
    const next = hitFrom(hits, from.current.ord, from.current.segment);
    const hit = hits[next];
    if (hit === undefined) {
      if (done) setChosen(null);
      return;
    }
    if (!isFrom(hit, from.current.ord, from.current.segment) && !done) return;
    setChosen(hit);
    setVisited(false);
    // If the user has navigated elsewhere since typing, stay there.
    if (left() !== wasLeft.current.typed) return;
    if (hit.source === 'text' && holds(session.store.get().conversation, hit)) show(hit, false);
  }, [query, text, hits, done, at, session, show, left]);

  const step = (by: 1 | -1) => {
    if (hits.length === 0) return;
    const to = at < 0 ? 0 : visited ? at + by : by > 0 ? at : at - 1;
    // Don't skip matches that aren't loaded yet.
    if (to >= hits.length && !done && !capped) return;
    const hit = hits[(to + hits.length) % hits.length];
    if (hit === undefined) return;
    setChosen(hit);
    setVisited(true);
    from.current = { ord: hit.ord, segment: hit.segment < 0 ? Number.POSITIVE_INFINITY : hit.segment };
    show(hit, true);
  };
  const close = () => {
    const inside = field.current?.closest('.find-bar')?.contains(document.activeElement) === true;
    if (!inside) {
      onClose();
      return;
    }
    // The element that had the focus may be somewhere the user has left.
    const scroller = document.querySelector('.transcript-scroll');
    const gone = left() !== wasLeft.current.opened && scroller?.contains(opener.current) === true;
    const from = gone ? scroller : opener.current;
    const atMatch = visited && focus();
    onClose();
    if (!atMatch && from instanceof HTMLElement) from.focus({ preventScroll: true });
    // A match visited earlier may take the focus only once.
    returnFocus(
      () => from,
      () => document.querySelector('.transcript-scroll'),
    );
  };
  useActions([
    {
      id: 'find.next',
      title: t('action.findNext'),
      section: t('section.transcript'),
      keys: 'F3',
      run: () => step(1),
    },
    {
      id: 'find.previous',
      title: t('action.findPrevious'),
      section: t('section.transcript'),
      keys: 'shift+F3',
      run: () => step(-1),
    },
    {
      id: 'find.close',
      title: t('action.findClose'),
      section: t('section.transcript'),
      keys: 'Escape',
      keyOnly: true,
      run: close,
    },
    {
      id: 'find.again',
      title: t('action.find'),
      section: t('section.transcript'),
      keys: 'mod+f',
      keyOnly: true,
      run: () => {
        setText((was) => selected() || was);
        field.current?.focus();
        field.current?.select();
      },
    },
  ]);
  const n = { at: count(at + 1), all: count(hits.length) };
  const says =
    text === '' || folded(text) === ''
      ? ''
      : error !== null
        ? oneLine(error.message)
        : query !== text || (hits.length === 0 && !done)
          ? t('find.start')
          : hits.length === 0
            ? t('find.none')
            : t(capped ? 'find.capped' : done ? 'find.of' : 'find.searching', n);
  return (
    <search
      className="find-bar"
      aria-label={t('find.label')}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
        event.preventDefault();
        event.stopPropagation();
        close();
      }}
    >
      <input
        ref={field}
        className="find-field"
        type="text"
        aria-label={t('find.label')}
        placeholder={t('find.placeholder')}
        autoComplete="off"
        spellCheck={false}
        maxLength={2000}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Enter' || event.key === 'F3') step(event.shiftKey ? -1 : 1);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <output
        className="find-count tabular truncate"
        data-error={(says !== '' && (error !== null || says === t('find.none'))) || undefined}
      >
        {says}
      </output>
      <button
        type="button"
        className="icon-button quiet"
        aria-label={t('find.previous')}
        title={t('find.previous')}
        aria-disabled={hits.length === 0}
        onClick={() => step(-1)}
      >
        <ArrowUp size={14} aria-hidden />
      </button>
      <button
        type="button"
        className="icon-button quiet"
        aria-label={t('find.next')}
        title={t('find.next')}
        aria-disabled={hits.length === 0}
        onClick={() => step(1)}
      >
        <ArrowDown size={14} aria-hidden />
      </button>
      <button
        type="button"
        className="icon-button quiet"
        aria-label={t('find.close')}
        title={t('find.close')}
        onClick={close}
      >
        <X size={14} aria-hidden />
      </button>
    </search>
  );
}

/** A short selection in the conversation. */
function selected(): string {
  const selection = window.getSelection();
  const inside = selection?.anchorNode?.parentElement?.closest('.transcript-scroll') ?? null;
  const text = selection?.toString().trim() ?? '';
  return inside === null || text.length > 200 || text.includes('\n') ? '' : text;
}

/** The user's position, or the end while it is unknown. */
function readingAt(session: Session, view: { place: SpacePlace } | null) {
  const { messages } = session.store.get().conversation;
  const message = view === null ? messages.at(-1) : messages.find(({ id }) => id === view.place.messageId);
  return { ord: message?.ord ?? 0, segment: Math.max(view?.place.segment ?? 0, 0) };
}
