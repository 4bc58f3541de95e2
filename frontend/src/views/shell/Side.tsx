import { X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { t } from '../../i18n';
import { useWeft } from '../../state/weft';
import { usePanelFocus } from '../parts/usePanelFocus';
import './side.css';

/** The panel on the right: a title, a close button, and its content. Escape closes it, too. */
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
  /** Custom rendering of the title. */
  heading?: ReactNode;
  /** Buttons beside the close button. */
  actions?: ReactNode;
  busy?: boolean;
  onKeyDown?(event: KeyboardEvent<HTMLElement>): void;
  /** Replaces the default way of closing. */
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
        // Overlays opened from the panel close first, on their own.
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

/** A message if there is nothing else to show: an error with a retry button, or that it is loading. */
export function SideNote({ error, onAgain }: { error: string | null; onAgain(): void }) {
  if (error === null) {
    return (
      <p className="side-note delayed" role="status">
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
