import { Clock, CornerUpLeft } from 'lucide-react';
import { useRef } from 'react';
import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { lines, oneLine } from '../parts/clean';
import { clock, exact } from '../parts/numbers';
import type { From, Outcome, Phase } from './phase';

/** The status of a display in a word; empty if it is only shown. A question is announced elsewhere, once. */
export function Status({ phase, sending }: { phase: Phase; sending: boolean }) {
  const words = sending
    ? t('displays.sending')
    : phase === 'shown' || phase === 'open'
      ? ''
      : t(`displays.phase.${phase}`);
  const asked = useRef(false);
  asked.current ||= phase === 'waiting';
  const over = asked.current && phase !== 'waiting';
  return (
    <>
      <span className="display-status" data-phase={phase}>
        {words}
      </span>
      <span className="visually-hidden" role="status">
        {over && words}
      </span>
    </>
  );
}

/** The outcome: who answered and when, or why it is no longer asked. */
export function Foot({ outcome, error }: { outcome: Outcome; error: string }) {
  const { phase, at, late, next, unsent, from, byUser } = outcome;
  const ended = phase === 'answered' || phase === 'expired' || phase === 'cancelled' || phase === 'failed';
  if (!ended && from === null) return null;
  return (
    <footer className="display-foot">
      {ended && (
        <span>
          {phase === 'failed' && error !== ''
            ? lines(error)
            : t(`displays.end.${phase === 'cancelled' && byUser ? 'declined' : phase}`)}
          {at > 0 && (
            <time dateTime={iso(at)} title={exact(at)} className="tabular">
              {' · '}
              {clock(at)}
            </time>
          )}
        </span>
      )}
      {(late || (next && phase === 'answered')) && (
        <span className="display-late">
          <Clock size={13} aria-hidden />
          {t(unsent ? 'displays.unsent' : late ? 'displays.late' : 'displays.next')}
        </span>
      )}
      {from !== null && <Source from={from} />}
    </footer>
  );
}

/** The source of a question, with a link to its message. */
function Source({ from }: { from: From }) {
  const weft = useWeft();
  const known = useStore(weft.server, ({ spaces }) => spaces.find(({ id }) => id === from.spaceId)?.title);
  const space = known || from.space || t('space.untitled');
  const words = t('displays.from', { agent: oneLine(from.agent), space: oneLine(space) });
  const go = () =>
    from.messageId === '' ? weft.select(from.spaceId) : weft.goTo(from.spaceId, from.messageId);
  return known !== undefined ? (
    <button type="button" className="text-button display-from" onClick={go}>
      <CornerUpLeft size={13} aria-hidden />
      {words}
    </button>
  ) : (
    <span>{words}</span>
  );
}

function iso(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}
