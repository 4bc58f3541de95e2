import { Square } from 'lucide-react';
import { stopRun, stopSpace } from '../../commands/spaces';
import { t } from '../../i18n';
import { tonesOf } from '../../state/memberLook';
import { isShared } from '../../state/members';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { type Run, workedFor } from '../../transcript/model';
import type { Space } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { inactiveWhile } from '../parts/inactiveWhile';
import { running } from '../parts/numbers';
import { useSeconds } from '../parts/useNow';
import { Monogram } from './Monogram';
import './members.css';

/**
 * The working members of a space with several, and runs of other spaces that write to it, with their durations. Each
 * can be stopped.
 */
export function WorkingStrip({ session, space }: { session: Session; space: Space }) {
  const all = useStore(session.store, (state) => state.conversation.runs);
  const runs = isShared(space) ? all : all.filter(({ home }) => home !== '');
  if (runs.length === 0) return null;
  const tones = tonesOf(space.members);
  return (
    <ul className="working-strip" aria-label={t('members.working')}>
      {runs.map((run) => {
        const name = space.members.find(({ id }) => id === run.memberId)?.name;
        const Line = run.home === '' ? WorkingMember : WritingRun;
        return (
          <Line
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

interface Line {
  spaceId: string;
  run: Run;
  name: string;
  tone: number;
}

/** A working member. */
function WorkingMember({ spaceId, run, name, tone }: Line) {
  const weft = useWeft();
  return (
    <li className="working-row">
      <Monogram name={name} tone={tone} small />
      <span className="working-name truncate">{name}</span>
      <Since run={run} />
      <Stop
        label={t('members.stop', { name })}
        run={run}
        onStop={() => void stopSpace(weft, spaceId, run.memberId)}
      />
    </li>
  );
}

/** A run of another space that writes to this one. */
function WritingRun({ spaceId, run, name, tone }: Line) {
  const weft = useWeft();
  const title = useStore(weft.server, ({ spaces }) => spaces.find(({ id }) => id === run.home)?.title);
  const space = oneLine(title || t('members.otherSpace'));
  return (
    <li className="working-row">
      <Monogram name={name} tone={tone} small />
      <span className="working-name truncate">{name}</span>
      <button
        type="button"
        className="text-button working-home truncate"
        title={t('members.openHome', { space })}
        onClick={() => weft.select(run.home)}
      >
        {t('members.worksIn', { space })}
      </button>
      <Since run={run} />
      <button
        type="button"
        className="working-run mono"
        aria-label={t('members.showRun', { id: run.id })}
        title={t('members.showRun', { id: run.id })}
        onClick={() => weft.showRun(run.id)}
      >
        {run.id.slice(0, 8)}
      </button>
      <Stop
        label={t('members.stopRun', { name, space })}
        run={run}
        onStop={() => void stopRun(weft, spaceId, run.id)}
      />
    </li>
  );
}

function Since({ run }: { run: Run }) {
  const now = useSeconds(true);
  return (
    <span className="working-state" data-waiting={run.waitsFor.length > 0 || undefined}>
      {run.stopping ? (
        t('transcript.stopping')
      ) : run.waitsFor.length > 0 ? (
        t('members.state.waiting')
      ) : (
        <span className="tabular">{running(workedFor(run, run.startedAt, now))}</span>
      )}
    </span>
  );
}

function Stop({ label, run, onStop }: { label: string; run: Run; onStop: () => void }) {
  return (
    <button
      type="button"
      className="icon-button quiet"
      aria-label={label}
      title={label}
      {...inactiveWhile(run.stopping)}
      onClick={onStop}
    >
      <Square size={9} fill="currentColor" aria-hidden />
    </button>
  );
}
