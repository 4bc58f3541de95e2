import { ArrowLeft, ArrowRight, Copy, TriangleAlert } from 'lucide-react';
import { memo, useState } from 'react';
import { t } from '../../i18n';
import { copyText } from '../../markdown';
import { say } from '../../state/notify';
import type { ProtocolEntry } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';
import { bytes } from '../parts/numbers';

/** A protocol message: its kind, or all of it when expanded. */
export const LogLine = memo(function LogLine({ entry }: { entry: ProtocolEntry }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="log-entry" data-dir={entry.dir}>
      <button type="button" className="log-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Direction dir={entry.dir} />
        <span className="log-kind mono truncate">{oneLine(entry.kind)}</span>
        <span className="log-text mono truncate">{oneLine(entry.line.slice(0, 200))}</span>
        <span className="log-size tabular">{bytes(entry.size)}</span>
      </button>
      {open && (
        <div className="log-open">
          <div className="log-open-head">
            <time className="tabular">{time(entry.at)}</time>
            <button
              type="button"
              className="icon-button quiet"
              aria-label={t('copy')}
              title={t('copy')}
              onClick={() => void copyText(entry.line).then(() => say(t('copied')))}
            >
              <Copy size={13} aria-hidden />
            </button>
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
          <pre className="code-box" tabIndex={0}>
            <Lines text={pretty(entry.line)} />
          </pre>
        </div>
      )}
    </div>
  );
});

function Direction({ dir }: { dir: ProtocolEntry['dir'] }) {
  const [Icon, label] =
    dir === 'agent->client'
      ? ([ArrowLeft, t('log.fromAgent')] as const)
      : dir === 'client->agent'
        ? ([ArrowRight, t('log.toAgent')] as const)
        : ([TriangleAlert, t('log.stderr')] as const);
  return <Icon className="log-dir" size={13} role="img" aria-label={label} />;
}

/** Time since the agent's start with milliseconds, because this view is for the order of bursts. */
function time(ms: number): string {
  return t('log.at', { s: (ms / 1000).toFixed(3) });
}

function pretty(line: string): string {
  try {
    return JSON.stringify(JSON.parse(line), null, 2);
  } catch {
    return line;
  }
}
