import { Box } from 'lucide-react';
import { declineSandbox, saveAgent } from '../../commands/agents';
import { t } from '../../i18n';
import { Sentence, withSlots } from '../../i18n/Sentence';
import { translated } from '../../i18n/said';
import { say } from '../../state/notify';
import { useWeft } from '../../state/weft';
import type { Agent, Unasked } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { exactLine } from '../parts/exact';
import { Lines } from '../parts/Lines';
import { entryOf } from '../settings/entry';
import { Offer } from './Offer';

/** Offers a sandbox for an agent that acted without asking. */
export function SandboxOffer({ agent, did }: { agent: Agent; did: Unasked }) {
  const weft = useWeft();
  const name = oneLine(agent.name);
  const accept = async () => {
    await saveAgent(weft, { ...entryOf(agent), sandbox: { network: 'allowed' } });
    say(t('sandboxOffer.on', { name }));
  };
  const decline = async () => {
    await declineSandbox(weft, agent.id);
    say(t('sandboxOffer.declined', { name }));
  };
  return (
    <Offer
      label={t('sandboxOffer.label', { name })}
      icon={Box}
      decline={{ label: t('sandboxOffer.decline'), work: decline }}
      accept={
        did.problem === ''
          ? { label: t('sandboxOffer.accept'), work: accept }
          : { label: t('sandboxOffer.check'), work: async () => {} }
      }
    >
      <p>
        <Sentence
          text={withSlots((slot) => t(`sandboxOffer.did.${did.kind}`, { name, what: slot('what') }))}
          slots={{ what: <code>{exactLine(did.about)}</code> }}
        />
      </p>
      <p className="agent-offer-why">{t('sandboxOffer.why')}</p>
      {did.problem !== '' && (
        <p>
          <Lines text={translated(did.problem)} />
        </p>
      )}
    </Offer>
  );
}
