import { ChevronRight, Search } from 'lucide-react';
import { useState } from 'react';
import { t } from '../../i18n';
import { useNotices } from '../../queries/notices';
import type { NoticePart } from '../../transport/notices';
import { oneLine } from '../parts/clean';
import { FailedRead } from '../parts/FailedRead';
import { Lines, WholeLine } from '../parts/Lines';
import './notices.css';

/** The licenses of third-party parts, with expandable texts. */
export default function Notices() {
  const { data, error, refetch } = useNotices();
  const [filter, setFilter] = useState('');
  if (error !== null) return <FailedRead error={error} onAgain={() => void refetch()} />;
  if (data === undefined) return <p className="settings-lead delayed">{t('loading')}</p>;
  if (data === null) return <p className="settings-lead">{t('about.noticesMissing')}</p>;
  const shown = data.parts.filter((part) => matches(part, filter));
  return (
    <>
      <div className="notices-top">
        <label className="search">
          <Search size={14} aria-hidden />
          <input
            type="search"
            aria-label={t('about.noticesFilter')}
            placeholder={t('about.noticesFilter')}
            spellCheck={false}
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        </label>
        <span className="notices-count" role="status">
          {shown.length === 0 ? t('about.noticesNone') : t('about.noticesCount', { count: shown.length })}
        </span>
      </div>
      <ul className="notices" aria-labelledby="settings-notices-title" hidden={shown.length === 0}>
        {shown.map((part) => (
          <Part key={`${part.kind} ${part.name} ${part.version}`} part={part} texts={data.texts} />
        ))}
      </ul>
    </>
  );
}

function matches({ name, license }: NoticePart, filter: string): boolean {
  const text = `${name} ${license}`.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function Part({ part, texts }: { part: NoticePart; texts: readonly string[] }) {
  const [open, setOpen] = useState(false);
  return (
    <li>
      <details className="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <ChevronRight className="chevron" size={14} aria-hidden />
          <span>
            <span className="notice-name">{oneLine(part.name)}</span>{' '}
            <span className="notice-version">{oneLine(part.version)}</span>{' '}
            <span className="notice-license">{oneLine(part.license)}</span>
          </span>
        </summary>
        {open && (
          <div className="notice-text">
            <p className="mono">
              <WholeLine text={part.url} />
            </p>
            {part.texts.map((at) => (
              <pre key={at} className="mono">
                <Lines text={texts[at] ?? ''} />
              </pre>
            ))}
          </div>
        )}
      </details>
    </li>
  );
}
