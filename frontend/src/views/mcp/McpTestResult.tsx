import { CircleAlert, CircleCheck } from 'lucide-react';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import type { McpTest } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';
import { count, duration, running } from '../parts/numbers';
import { useIntoView } from '../parts/useIntoView';
import { useSeconds } from '../parts/useNow';
import type { McpTesting } from './useMcpTest';

/** The result of connecting to a server, without the tools if they are `listed` elsewhere. */
export function McpTestResult({ test, listed = false }: { test: McpTesting; listed?: boolean }) {
  const box = useIntoView(test.running || test.result);
  return (
    <div ref={box} className="test" aria-live="polite">
      {test.running && <Running since={test.startedAt} />}
      {test.result !== null &&
        (test.result.ok ? <Works result={test.result} listed={listed} /> : <Fails result={test.result} />)}
    </div>
  );
}

function Running({ since }: { since: number }) {
  const now = useSeconds(true);
  return (
    <p className="shimmer test-line">
      {t('mcp.testing')} <span className="tabular">{running(now - since)}</span>
    </p>
  );
}

function Works({ result, listed }: { result: McpTest; listed: boolean }) {
  const tools = result.tools ?? [];
  const name = oneLine([result.name, result.version].filter(Boolean).join(' ')) || '–';
  return (
    <div className="test-box" data-ok="true">
      <p className="test-line">
        <CircleCheck size={15} aria-hidden />
        {t('mcp.works', { name, time: duration(result.durationMs) })}
      </p>
      <p className="quiet-text">
        {t('mcp.tools', { count: tools.length, n: count(tools.length) })}
        {result.more && ` ${t('mcp.more')}`}
        {result.protocol !== '' && ` · ${t('mcp.protocol', { version: oneLine(result.protocol) })}`}
      </p>
      {tools.length > 0 && !listed && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
        <ul className="mcp-tools" tabIndex={0} aria-label={t('mcp.toolList')}>
          {tools.map((tool, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: names may be repeated
            <li key={at}>
              <code className="mono">{oneLine(tool.name)}</code>
              {tool.title !== '' && <span> {oneLine(tool.title)}</span>}
              {tool.description !== '' && (
                <p>
                  <Lines text={tool.description} />
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
      {result.noise !== '' && (
        <>
          <p className="quiet-text">{t('mcp.noise')}</p>
          <Last text={result.noise} />
        </>
      )}
    </div>
  );
}

function Fails({ result }: { result: McpTest }) {
  const detail = result.failure?.detail ?? '';
  return (
    <div className="test-box" data-ok="false">
      <p className="test-line">
        <CircleAlert size={15} aria-hidden />
        <Lines text={result.failure === null ? t('test.failed') : translated(result.failure)} />
      </p>
      {detail !== '' && (
        <>
          <p className="quiet-text">{t('test.stderr')}</p>
          <Last text={detail} />
        </>
      )}
    </div>
  );
}

function Last({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <pre className="code-box" tabIndex={0}>
      <Lines text={text} />
    </pre>
  );
}
