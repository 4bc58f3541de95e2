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

/** How long the typing rests before a space is searched, in ms. */
const rest = 120;

interface FindBarProps {
  session: Session;
  spot: Spot;
  /** Goes to a match. */
  go(target: Target): Promise<void>;
  /** Leaves the focus where the match is that was gone to; false if none was. */
  focus(): boolean;
  /** How often the user has gone elsewhere in the conversation. */
  left(): number;
  onClose(): void;
}

/** Finds a text in the conversation: all of it, not only what is drawn. */
export function FindBar({ session, spot, go, focus, left, onClose }: FindBarProps) {
  const weft = useWeft();
  const find = useMemo(() => new SpaceFind(weft.transport, session), [weft, session]);
  const { query, hits, done, capped, error } = useStore(find.store, (state) => state);
  const [text, setText] = useState(() => selected() || spot.get().query);
  const [chosen, setChosen] = useState<FindHit | null>(null);
  /** Whether the user was taken to the chosen hit. */
  const [visited, setVisited] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const opener = useRef<Element | null>(null);
  /** Where the user reads: hits are counted from there on. */
  const from = useRef({ ord: 0, segment: 0 });
  /** How often the user had gone elsewhere when the search was opened, and when its text was typed. */
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
  // A search elsewhere that leads here while the bar is open is what is asked for now.
  const marked = useStore(spot, (state) => state.query);
  useEffect(() => {
    if (marked !== '') setText(marked);
  }, [marked]);
  // In the same step as the bar goes: nothing is marked without it.
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
  // The first hit from where the user reads is chosen, and shown if nothing has to be opened for it.
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
    // Who has gone elsewhere since it was typed stays there.
    if (left() !== wasLeft.current.typed) return;
    if (hit.source === 'text' && holds(session.store.get().conversation, hit)) show(hit, false);
  }, [query, text, hits, done, at, session, show, left]);

  const step = (by: 1 | -1) => {
    if (hits.length === 0) return;
    const to = at < 0 ? 0 : visited ? at + by : by > 0 ? at : at - 1;
    // What is not found yet is not gone past.
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
    // What had the focus in the conversation before may be where the user has gone away from.
    const scroller = document.querySelector('.transcript-scroll');
    const gone = left() !== wasLeft.current.opened && scroller?.contains(opener.current) === true;
    const from = gone ? scroller : opener.current;
    const atMatch = visited && focus();
    onClose();
    if (!atMatch && from instanceof HTMLElement) from.focus({ preventScroll: true });
    // A match that was gone to before has the focus only once.
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
        className="find-count tabular"
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

/** A short text that is selected in the conversation. */
function selected(): string {
  const selection = window.getSelection();
  const inside = selection?.anchorNode?.parentElement?.closest('.transcript-scroll') ?? null;
  const text = selection?.toString().trim() ?? '';
  return inside === null || text.length > 200 || text.includes('\n') ? '' : text;
}

/** Where the user reads: at the end while that is not known. */
function readingAt(session: Session, view: { place: SpacePlace } | null) {
  const { messages } = session.store.get().conversation;
  const message = view === null ? messages.at(-1) : messages.find(({ id }) => id === view.place.messageId);
  return { ord: message?.ord ?? 0, segment: Math.max(view?.place.segment ?? 0, 0) };
}
