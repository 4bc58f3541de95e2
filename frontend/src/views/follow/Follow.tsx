import { Locate, X } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { FileView, Place } from '../../transport/api';
import { oneLine, lines as shownText } from '../parts/clean';
import { bytes, count } from '../parts/numbers';
import { pathFrom } from '../parts/paths';
import { FileLines } from './FileLines';
import { useFollow } from './useFollow';
import '../log/log.css';
import './follow.css';

/** Shows the file that the agent works on. Stops following when the user scrolls. */
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
          title={t('follow.close')}
          onClick={() => weft.toggleFollow(spaceId)}
        >
          <X size={14} aria-hidden />
        </button>
      </header>
      {place === null ? (
        <p className="follow-message">{t('follow.empty')}</p>
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
          {error !== '' && <p className="follow-message">{shownText(error)}</p>}
          {view !== null && error === '' && (
            <Shown view={view}>
              <FileLines
                key={place.path}
                path={place.path}
                line={place.line}
                to={place.to}
                view={view}
                name={named(place.path)}
                centered={following}
                onLeave={followed.leave}
              />
            </Shown>
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

function Shown({ view, children }: { view: FileView; children: ReactNode }) {
  if (view.binary) return <p className="follow-message">{t('follow.binary', { size: bytes(view.size) })}</p>;
  if (view.text === '') return <p className="follow-message">{t('follow.noText')}</p>;
  return (
    <>
      {view.lines < view.total && (
        <p className="follow-note">
          {t('follow.more', { from: count(view.from), to: count(view.from + view.lines - 1) })}
        </p>
      )}
      {children}
    </>
  );
}
