import { ChevronUp, Circle, CircleCheck, CircleDot, ListChecks } from 'lucide-react';
import { useState } from 'react';
import { t } from '../../i18n';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import type { Json } from '../../transcript/types';
import { lines, oneLine } from '../parts/clean';

interface Entry {
  content: string;
  status: string;
}

/** The agent's plan, pinned above the composer: where it is, and all steps on demand. */
export function Plan({ session }: { session: Session }) {
  const value = useStore(session.store, (state) => state.conversation.state['plan']);
  const over = useStore(session.store, (state) => state.conversation.run === null);
  const [open, setOpen] = useState(false);
  const entries = entriesOf(value);
  if (entries.length === 0) return null;
  const done = entries.filter(({ status }) => status === 'completed').length;
  const now =
    entries.find(({ status }) => status === 'in_progress') ??
    entries.find(({ status }) => status === 'pending');
  return (
    <section className="plan" aria-label={t('plan.label')}>
      <button type="button" className="plan-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <ListChecks size={14} aria-hidden />
        <span className="plan-count tabular">{t('plan.count', { done, all: entries.length })}</span>
        <span className="plan-now">
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
              <span>{lines(entry.content)}</span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** Nothing is in progress once the turn is over. */
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
      ? [{ content, status: typeof status === 'string' ? status : 'pending' }]
      : [];
  });
}
