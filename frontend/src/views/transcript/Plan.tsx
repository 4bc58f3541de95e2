import { ChevronUp, Circle, CircleCheck, CircleDot, ListChecks } from 'lucide-react';
import { useState } from 'react';
import { t } from '../../i18n';
import { tonesOf } from '../../state/memberLook';
import { isShared, runOfMember } from '../../state/members';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { stateKey } from '../../transcript/model';
import { statusOf } from '../../transcript/status';
import type { Json } from '../../transcript/types';
import type { Space } from '../../transport/api';
import { Monogram } from '../members/Monogram';
import { oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';

interface Entry {
  content: string;
  status: string;
}

/** The plans of a space's members, pinned above the composer. */
export function Plans({ session, space }: { session: Session; space: Space }) {
  const tones = isShared(space) ? tonesOf(space.members) : null;
  return space.members.map((member) => (
    <Plan
      key={member.id}
      session={session}
      memberId={member.id}
      by={tones === null ? null : { name: member.name, tone: tones.get(member.id) ?? 1 }}
    />
  ));
}

interface PlanProps {
  session: Session;
  memberId: string;
  /** Its member, if there are several. */
  by: { name: string; tone: number } | null;
}

/** A member's plan: its progress, and all steps on demand. */
function Plan({ session, memberId, by }: PlanProps) {
  const value = useStore(session.store, (state) => state.conversation.state[stateKey('plan', memberId)]);
  const over = useStore(
    session.store,
    ({ conversation: { runs } }) => runOfMember(runs, memberId) === undefined,
  );
  const [open, setOpen] = useState(false);
  const entries = entriesOf(value);
  if (entries.length === 0) return null;
  // Among several members, a finished plan is no longer shown.
  if (by !== null && over && entries.every(({ status }) => status === 'completed')) return null;
  const label = by === null ? t('plan.label') : t('plan.labelOf', { name: oneLine(by.name) });
  const done = entries.filter(({ status }) => status === 'completed').length;
  const now =
    entries.find(({ status }) => status === 'in_progress') ??
    entries.find(({ status }) => status === 'pending');
  return (
    <section className="plan" aria-label={label}>
      <button type="button" className="plan-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        {by === null ? (
          <ListChecks size={14} aria-hidden />
        ) : (
          <>
            <Monogram {...by} small />
            <span className="visually-hidden">{oneLine(by.name)}</span>
          </>
        )}
        <span className="plan-count tabular">{t('plan.count', { done, all: entries.length })}</span>
        <span className="plan-now truncate">
          {now === undefined
            ? t('plan.done')
            : over
              ? t('plan.leftOpen', { step: oneLine(now.content) })
              : oneLine(now.content)}
        </span>
        <ChevronUp className="chevron-up" data-open={open} size={14} aria-hidden />
      </button>
      {open && (
        <ol className="plan-entries">
          {entries.map((entry, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the plan is replaced as a whole
            <li key={i} className="plan-entry" data-status={over ? settled(entry.status) : entry.status}>
              <Mark status={over ? settled(entry.status) : entry.status} />
              <span>
                <Lines text={entry.content} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** Nothing is in progress after the turn. */
function settled(status: string): string {
  return status === 'in_progress' ? 'pending' : status;
}

function Mark({ status }: { status: string }) {
  const Icon = status === 'completed' ? CircleCheck : status === 'in_progress' ? CircleDot : Circle;
  const label =
    status === 'completed'
      ? t('plan.completed')
      : status === 'in_progress'
        ? t('plan.inProgress')
        : t('plan.pending');
  return <Icon size={14} role="img" aria-label={label} />;
}

function entriesOf(value: Json | undefined): Entry[] {
  const list = Array.isArray(value)
    ? value
    : value !== null && typeof value === 'object' && Array.isArray(value['entries'])
      ? value['entries']
      : [];
  return list.flatMap((entry) => {
    if (entry === null || typeof entry !== 'object' || Array.isArray(entry)) return [];
    const { content, status } = entry;
    return typeof content === 'string'
      ? [{ content, status: typeof status === 'string' ? stateOf(status) : 'pending' }]
      : [];
  });
}

/** Maps the agents' words for an entry's status to those of the protocol. */
function stateOf(word: string): string {
  const status = statusOf(word) ?? 'pending';
  return status === 'running' ? 'in_progress' : status === 'waiting' ? 'pending' : status;
}
