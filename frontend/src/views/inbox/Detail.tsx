import { ArrowLeft, ArrowUpRight, Check } from 'lucide-react';
import { t } from '../../i18n';
import type { InboxItem } from '../../state/inbox';
import { oneLine } from '../parts/clean';
import { Keys } from '../parts/Keys';
import { ago, exact } from '../parts/numbers';
import { titleOf } from '../parts/spaceTitle';
import { useMinutes } from '../parts/useNow';
import { EndedDetail } from './EndedDetail';
import { PaneLoading, PaneNote } from './PaneStates';
import { RequestDetail } from './RequestDetail';

interface DetailProps {
  of: InboxItem;
  /** It is no longer in the list. */
  gone: boolean;
  /** The user is only moving past it: nothing is loaded, and nothing can be answered. */
  passing: boolean;
  onOpen(): void;
  onDismiss(): void;
  onNext(): void;
  onKnown(id: string): void;
  /** Returns to the list, if that isn't visible. */
  onBack: (() => void) | undefined;
}

/** Details of the selected item. */
export function Detail({ of, gone, passing, onOpen, onDismiss, onNext, onKnown, onBack }: DetailProps) {
  const now = useMinutes();
  const { space, kind, wait, at } = of;
  return (
    <>
      <header className="triage-head">
        {onBack !== undefined && (
          <button type="button" className="button quiet" onClick={onBack}>
            <ArrowLeft size={14} aria-hidden />
            {t('inbox.back')}
          </button>
        )}
        <div className="triage-about">
          <h2 dir="auto">{titleOf(space)}</h2>
          <p>
            {oneLine(space.agentName)}
            {' · '}
            <time dateTime={new Date(at).toISOString()} title={exact(at)}>
              {ago(at, now)}
            </time>
          </p>
        </div>
        <div className="triage-acts">
          {kind !== 'request' && !gone && (
            <button type="button" className="button" onClick={onDismiss}>
              <Check size={14} aria-hidden />
              {t('inbox.dismiss')}
              <Keys keys="D" />
            </button>
          )}
          <button type="button" className="button" onClick={onOpen}>
            <ArrowUpRight size={14} aria-hidden />
            {t('inbox.open')}
            <Keys keys="Enter" />
          </button>
        </div>
      </header>
      {gone ? (
        <PaneNote title={t('inbox.gone')} text={t('inbox.goneLead')}>
          <button type="button" className="button" onClick={onNext}>
            {t('inbox.next')}
            <Keys keys="J" />
          </button>
        </PaneNote>
      ) : passing ? (
        <PaneLoading />
      ) : wait !== undefined ? (
        <RequestDetail key={of.key} of={of} wait={wait} onOpen={onOpen} onKnown={onKnown} />
      ) : (
        <EndedDetail key={space.id} of={of} />
      )}
    </>
  );
}
