import { CircleAlert, CircleCheck, CircleDashed } from 'lucide-react';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import type { Agent, LastTest } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { exact, since } from '../parts/numbers';
import { useMinutes } from '../parts/useNow';

/** When an agent was last tested, and the result. */
export function AgentTested({ agent }: { agent: Agent }) {
  const now = useMinutes();
  const test = agent.tested ?? null;
  const state = test === null || test.changed ? 'unknown' : test.ok ? 'works' : 'failed';
  const Icon = { unknown: CircleDashed, works: CircleCheck, failed: CircleAlert }[state];
  return (
    <p className="agent-tested" data-state={state} title={test === null ? undefined : exact(test.at)}>
      <Icon size={13} aria-hidden />
      <span>{test === null ? t('tested.not') : wordsFor(test, agent.name, now)}</span>
    </p>
  );
}

function wordsFor(test: LastTest, agent: string, now: number): string {
  const when = since(test.at, now);
  if (test.changed) return t('tested.changed', { when });
  if (!test.ok)
    return t('tested.failed', { when, why: oneLine(translated(test.failure)) || t('test.failed') });
  return t('tested.works', { when, name: oneLine([test.name || agent, test.version].join(' ')).trim() });
}
