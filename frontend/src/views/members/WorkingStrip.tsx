import { Square } from 'lucide-react';
import { t } from '../../i18n';
import { tonesOf } from '../../state/memberLook';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Run } from '../../transcript/model';
import type { Space } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { running } from '../parts/numbers';
import { useSeconds } from '../parts/useNow';
import { Monogram } from './Monogram';
import './members.css';

/** Who works in a space of several, since when; each can be stopped by itself. */
export function WorkingStrip({ session, space }: { session: Session; space: Space }) {
  const runs = useStore(session.store, (state) => state.conversation.runs);
  if (runs.length === 0) return null;
  const tones = tonesOf(space.members);
  return (
    <ul className="working-strip" aria-label={t('members.working')}>
      {runs.map((run) => {
        const name = space.members.find(({ id }) => id === run.memberId)?.name;
        return (
          <Works
            key={run.id}
            spaceId={space.id}
            run={run}
            name={oneLine(name ?? t('members.gone'))}
            tone={tones.get(run.memberId) ?? 1}
          />
        );
      })}
    </ul>
  );
}

function Works({ spaceId, run, name, tone }: { spaceId: string; run: Run; name: string; tone: number }) {
  const weft = useWeft();
  const now = useSeconds(true);
  return (
    <li className="works">
      <Monogram name={name} tone={tone} small />
      <span className="works-name">{name}</span>
      <span className="works-state" data-waiting={run.waitsFor.length > 0 || undefined}>
        {run.stopping ? (
          t('transcript.stopping')
        ) : run.waitsFor.length > 0 ? (
          t('members.state.waiting')
        ) : (
          <span className="tabular">{running(Math.max(0, now - run.startedAt))}</span>
        )}
      </span>
      <button
        type="button"
        className="icon-button quiet"
        aria-label={t('members.stop', { name })}
        title={t('members.stop', { name })}
        disabled={run.stopping}
        onClick={() => void weft.stop(spaceId, run.memberId)}
      >
        <Square size={9} fill="currentColor" aria-hidden />
      </button>
    </li>
  );
}
