import type { LucideIcon } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { reloadAgents } from '../../commands/agents';
import { t } from '../../i18n';
import { runAction } from '../../keyboard/actions';
import { useWeft } from '../../state/weft';
import './offers.css';

interface OfferAnswer {
  label: string;
  /** Awaited before the agents are reloaded, so that an answered offer isn't shown again. */
  work(): Promise<unknown>;
}

interface OfferProps {
  label: string;
  icon: LucideIcon;
  decline: OfferAnswer;
  accept: OfferAnswer;
  children: ReactNode;
}

/** An offer for an agent above the composer, until it is answered. */
export function Offer({ label, icon: Icon, decline, accept, children }: OfferProps) {
  const weft = useWeft();
  const section = useRef<HTMLElement>(null);
  const busy = useRef(false);
  const answer = async (work: () => Promise<unknown>) => {
    if (busy.current) return;
    busy.current = true;
    // The button disappears with the offer, so the focus must move elsewhere.
    const here = section.current?.contains(document.activeElement) === true;
    await weft.attempt(t('failed.agent'), async () => {
      await work();
      await reloadAgents(weft);
    });
    busy.current = false;
    if (here && section.current === null) runAction('composer.focus');
  };
  return (
    <section ref={section} className="agent-offer" aria-label={label}>
      <Icon size={15} aria-hidden />
      <div className="agent-offer-text" role="status">
        {children}
      </div>
      <div className="agent-offer-answers">
        <button type="button" className="button plain" onClick={() => void answer(decline.work)}>
          {decline.label}
        </button>
        <button type="button" className="button" onClick={() => void answer(accept.work)}>
          {accept.label}
        </button>
      </div>
    </section>
  );
}
