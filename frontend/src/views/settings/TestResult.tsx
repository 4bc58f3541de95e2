import { CircleAlert, CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../../i18n';
import { joinFacts } from '../../i18n/formats';
import { translated } from '../../i18n/said';
import { say } from '../../state/notify';
import type { AgentTest } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';
import { duration, running } from '../parts/numbers';
import { useIntoView } from '../parts/useIntoView';
import { useSeconds } from '../parts/useNow';
import { Ways } from '../signin/SignIn';
import { capabilitiesOf } from './capabilities';
import type { AgentTesting } from './useAgentTest';

interface TestResultProps {
  test: AgentTesting;
  agentId?: string;
  /** Actions after a failure. */
  fixes?: ReactNode;
}

/** The result of launching an agent. */
export function TestResult({ test, agentId, fixes }: TestResultProps) {
  const box = useIntoView(test.running || test.result);
  return (
    <div ref={box} className="test" aria-live="polite">
      {test.running && <Running since={test.startedAt} />}
      {test.result !== null &&
        (test.result.ok ? <Works result={test.result} /> : <Fails result={test.result} fixes={fixes} />)}
      {agentId !== undefined && test.result !== null && (test.result.authMethods ?? []).length > 0 && (
        <div className="test-sign-in">
          <p className="form-label">{t('signIn.label')}</p>
          <Ways
            target={{ agentId }}
            agentId={agentId}
            methods={test.result.authMethods ?? []}
            onDone={() => {
              say(t('signIn.done'));
              void test.run({ agentId });
            }}
          />
        </div>
      )}
    </div>
  );
}

function Running({ since }: { since: number }) {
  const now = useSeconds(true);
  return (
    <p className="shimmer test-line">
      {t('test.running')} <span className="tabular">{running(now - since)}</span>
    </p>
  );
}

function Works({ result }: { result: AgentTest }) {
  const methods = result.authMethods ?? [];
  const able = capabilitiesOf(result.capabilities);
  return (
    <div className="test-box" data-ok="true">
      <p className="test-line">
        <CircleCheck size={15} aria-hidden />
        {t('test.works', { time: duration(result.durationMs) })}
      </p>
      <dl className="facts">
        <Fact name={t('test.name')} value={[result.name, result.version].filter(Boolean).join(' ') || '–'} />
        <Fact name={t('test.protocol')} value={String(result.protocolVersion)} />
        <div>
          <dt>{t('test.capabilities')}</dt>
          <dd>
            {able.length === 0 ? (
              t('test.noCapabilities')
            ) : (
              <ul className="abilities">
                {able.map(({ words, raw }) => (
                  <li key={raw} title={oneLine(raw)}>
                    {oneLine(words)}
                  </li>
                ))}
              </ul>
            )}
          </dd>
        </div>
        <Fact
          name={t('test.signIn')}
          value={
            methods.length === 0 ? t('test.noSignIn') : joinFacts(methods.map(({ name, id }) => name || id))
          }
        />
      </dl>
    </div>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{oneLine(value)}</dd>
    </div>
  );
}

function Fails({ result, fixes }: { result: AgentTest; fixes: ReactNode }) {
  const failure = result.failure;
  const detail = failure?.detail ?? '';
  return (
    <div className="test-box" data-ok="false">
      <p className="test-line">
        <CircleAlert size={15} aria-hidden />
        <Lines text={failure === null ? t('test.failed') : translated(failure)} />
      </p>
      {detail !== '' && (
        <>
          <p className="quiet-text">{t('test.stderr')}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
          <pre className="code-box" tabIndex={0}>
            <Lines text={detail} />
          </pre>
        </>
      )}
      {fixes}
    </div>
  );
}
