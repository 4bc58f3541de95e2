import { ChevronDown, ChevronUp } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { t } from '../../i18n';
import type { FileView } from '../../transport/api';
import { count } from '../parts/numbers';

/** How many lines before the requested one are loaded: see backend/files/workspace/view.go. */
const before = 2000;

interface FileWindowProps {
  view: FileView;
  /** Loads the lines around one. */
  onRead(line: number): void;
  /** The same, and highlights it. */
  onGo(line: number): void;
}

/** Which lines of a large file are shown, with navigation to the others. */
export function FileWindow({ view, onRead, onGo }: FileWindowProps) {
  const id = useId();
  const [line, setLine] = useState('');
  const { from, total, more } = view;
  const to = from + view.lines - 1;
  const go = (event: FormEvent) => {
    event.preventDefault();
    const wanted = Number(line);
    if (Number.isInteger(wanted) && wanted > 0) onGo(more ? wanted : Math.min(wanted, total));
  };
  return (
    <div className="file-window">
      <span className="tabular" role="status">
        {t(more ? 'preview.windowMore' : 'preview.window', {
          from: count(from),
          to: count(to),
          total: count(total),
        })}
      </span>
      <span className="grow" />
      <button
        type="button"
        className="icon-button"
        aria-label={t('preview.earlier')}
        title={t('preview.earlier')}
        disabled={from <= 1}
        onClick={() => onRead(Math.max(1, from - view.lines) + before)}
      >
        <ChevronUp size={14} aria-hidden />
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label={t('preview.later')}
        title={t('preview.later')}
        disabled={to >= total}
        onClick={() => onRead(to + 1 + before)}
      >
        <ChevronDown size={14} aria-hidden />
      </button>
      <form onSubmit={go}>
        <label htmlFor={id}>{t('preview.goTo')}</label>
        <input
          id={id}
          className="field tabular"
          inputMode="numeric"
          value={line}
          onChange={(event) => setLine(event.target.value.replace(/\D/g, '').slice(0, 9))}
        />
        <button type="submit" className="button plain" disabled={line === ''}>
          {t('preview.go')}
        </button>
      </form>
    </div>
  );
}
