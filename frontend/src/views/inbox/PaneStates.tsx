import type { ReactNode } from 'react';
import { t } from '../../i18n';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { Lines } from '../parts/Lines';

export function PaneLoading() {
  return (
    <p className="triage-note quiet-text delayed" role="status">
      {t('loading')}
    </p>
  );
}

/** The space could not be loaded. */
export function PaneFailed({ session }: { session: Session }) {
  const error = useStore(session.store, (state) => state.error);
  return (
    <div className="triage-note" role="alert">
      <h3>{t('space.cannotOpen')}</h3>
      <p>
        <Lines text={error?.message ?? ''} />
      </p>
      <button type="button" className="button" onClick={() => void session.open()}>
        {t('again')}
      </button>
    </div>
  );
}

/** A message with actions in place of the selected item. */
export function PaneNote({ title, text, children }: { title: string; text?: string; children?: ReactNode }) {
  return (
    <div className="triage-note" role="status">
      <h3>{title}</h3>
      {text !== undefined && <p>{text}</p>}
      {children}
    </div>
  );
}
