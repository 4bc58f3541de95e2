import { X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { t } from '../../i18n';
import { useWeft } from '../../state/weft';
import { usePanelFocus } from '../parts/usePanelFocus';
import './side.css';

/** What is in the panel on the right: a title, a button that closes it, and what it is about. Escape closes it, too. */
export function Side({
  title,
  heading = <h2>{title}</h2>,
  actions,
  busy = false,
  onKeyDown,
  onClose,
  children,
}: {
  title: string;
  /** How the title is drawn. */
  heading?: ReactNode;
  /** Buttons beside the one that closes it. */
  actions?: ReactNode;
  busy?: boolean;
  onKeyDown?(event: KeyboardEvent<HTMLElement>): void;
  /** Closes it in another way. */
  onClose?(): void;
  children: ReactNode;
}) {
  const weft = useWeft();
  const panel = useRef<HTMLElement>(null);
  usePanelFocus(() => panel.current?.querySelector<HTMLElement>('[aria-current]') ?? panel.current);
  const close = onClose ?? (() => weft.shown.set({ panel: null }));
  return (
    <section
      ref={panel}
      className="side"
      aria-label={title}
      aria-busy={busy}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') {
          onKeyDown?.(event);
          return;
        }
        // What is open over the panel closes first, and by itself.
        const within = panel.current?.contains(event.target as Node) === true;
        if (!within || panel.current?.querySelector('[data-popup-open]') !== null) return;
        event.stopPropagation();
        close();
      }}
    >
      <header className="side-head">
        {heading}
        <span className="grow" />
        {actions}
        <button
          type="button"
          className="icon-button"
          aria-label={t('close')}
          title={t('close')}
          onClick={close}
        >
          <X size={16} aria-hidden />
        </button>
      </header>
      {children}
    </section>
  );
}

/** A sentence where there is nothing else to show: what failed, with another try, or that it is being loaded. */
export function SideNote({ error, onAgain }: { error: string | null; onAgain(): void }) {
  if (error === null) {
    return (
      <p className="side-note late" role="status">
        {t('loading')}
      </p>
    );
  }
  return (
    <div className="side-note" role="alert">
      <p>{error}</p>
      <button type="button" className="text-button" onClick={onAgain}>
        {t('again')}
      </button>
    </div>
  );
}
