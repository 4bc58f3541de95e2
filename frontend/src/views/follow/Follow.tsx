import { Locate, X } from 'lucide-react';
import { useEffect, useId, useMemo, useRef } from 'react';
import { VList, type VListHandle } from 'virtua';
import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { FileView, Place } from '../../transport/api';
import { type Piece, useColours } from '../changes/colours';
import { oneLine, lines as shownText } from '../parts/clean';
import { bytes, count } from '../parts/numbers';
import { pathFrom } from '../parts/paths';
import { useFollow } from './useFollow';
import '../log/log.css';
import './follow.css';

/** Keys by which a user moves about in a file. */
const moves = ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End'];

/** The file that the agent is at, as it moves. It stays where it is once the user looks around. */
export function Follow({ spaceId }: { spaceId: string }) {
  const weft = useWeft();
  const session = weft.session(spaceId);
  const folder = useStore(session.store, (state) => state.space?.folder ?? '');
  const home = useStore(weft.server, (state) => state.about.home);
  const followed = useFollow(spaceId);
  const { place, places, view, error, following } = followed;
  const named = (path: string) => oneLine(pathFrom(path, folder, home));
  const select = useId();
  return (
    <section className="follow" aria-label={t('follow.label')}>
      <header className="log-head">
        <h2>{t('follow.title')}</h2>
        <span className="grow" />
        {following ? (
          <span className="follow-on" role="status">
            {t('follow.on')}
          </span>
        ) : (
          <button type="button" className="button follow-again" onClick={followed.again}>
            <Locate size={14} aria-hidden />
            {t('follow.again')}
          </button>
        )}
        <button
          type="button"
          className="icon-button"
          aria-label={t('follow.close')}
          onClick={() => weft.toggleFollow(spaceId)}
        >
          <X size={14} aria-hidden />
        </button>
      </header>
      {place === null ? (
        <p className="follow-say">{t('follow.empty')}</p>
      ) : (
        <>
          <div className="follow-file">
            <label className="visually-hidden" htmlFor={select}>
              {t('follow.files')}
            </label>
            <select
              id={select}
              className="field mono"
              value={place.path}
              onChange={(event) => followed.pick(event.target.value)}
            >
              {places.map(({ path }) => (
                <option key={path} value={path}>
                  {named(path)}
                </option>
              ))}
            </select>
            <span className="quiet-text tabular follow-where">{where(place)}</span>
          </div>
          {error !== '' && <p className="follow-say">{shownText(error)}</p>}
          {view !== null && error === '' && (
            <Lines
              key={place.path}
              place={place}
              view={view}
              name={named(place.path)}
              following={following}
              onLeave={followed.leave}
            />
          )}
        </>
      )}
    </section>
  );
}

function where({ line, to }: Place): string {
  if (line === 0) return '';
  return to > line
    ? t('follow.lines', { from: count(line), to: count(to) })
    : t('follow.line', { from: count(line) });
}

interface LinesProps {
  place: Place;
  view: FileView;
  name: string;
  following: boolean;
  onLeave(): void;
}

function Lines({ place, view, name, following, onLeave }: LinesProps) {
  const list = useRef<VListHandle>(null);
  const sides = useMemo(() => {
    const lines = view.text.split('\n');
    if (lines.at(-1) === '') lines.pop();
    return { old: [], new: lines };
  }, [view]);
  const colours = useColours(place.path, sides).new;
  const first = place.line - view.from;
  const last = Math.max(place.to, place.line) - view.from;
  // The place is in view, with what is above it.
  useEffect(() => {
    const shown = list.current;
    if (shown === null || !following || first < 0) return;
    const frame = requestAnimationFrame(() =>
      shown.scrollToIndex(Math.min(first, sides.new.length - 1), { align: 'center' }),
    );
    return () => cancelAnimationFrame(frame);
  }, [first, sides, following]);
  if (view.binary) return <p className="follow-say">{t('follow.binary', { size: bytes(view.size) })}</p>;
  if (sides.new.length === 0) return <p className="follow-say">{t('follow.noText')}</p>;
  const part = view.lines < view.total;
  return (
    <>
      {part && (
        <p className="follow-note">
          {t('follow.more', { from: count(view.from), to: count(view.from + view.lines - 1) })}
        </p>
      )}
      <VList
        ref={list}
        className="follow-list"
        data={sides.new}
        itemSize={20}
        bufferSize={400}
        role="region"
        tabIndex={0}
        aria-label={t('follow.file', { path: name })}
        onWheel={onLeave}
        onTouchMove={onLeave}
        onPointerDown={(event) => {
          // On the bar that scrolls, not on the text.
          if (event.target instanceof Element && event.target.matches('.follow-list')) onLeave();
        }}
        onKeyDown={(event) => {
          if (moves.includes(event.key)) onLeave();
        }}
      >
        {(text, i) => (
          <div key={i} className="follow-line" data-at={(i >= first && i <= last && first >= 0) || undefined}>
            <span className="diff-number tabular" aria-hidden>
              {view.from + i}
            </span>
            <span className="follow-text">
              <Coloured text={text} pieces={colours[i]} />
            </span>
          </div>
        )}
      </VList>
    </>
  );
}

function Coloured({ text, pieces }: { text: string; pieces: readonly Piece[] | undefined }) {
  if (text === '') return ' ';
  if (pieces === undefined) return shownText(text.replace(/\r$/, ''));
  return pieces.map(([part, kind], i) =>
    kind === undefined ? (
      shownText(part)
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line have no other name
      <span key={i} className={`tok-${kind}`}>
        {shownText(part)}
      </span>
    ),
  );
}
