import { TextCursorInput } from 'lucide-react';
import { declineModelProxy, saveAgent } from '../../commands/agents';
import { t } from '../../i18n';
import { say } from '../../state/notify';
import { useWeft } from '../../state/weft';
import type { Agent } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { entryOf } from '../settings/entry';
import { Offer } from './Offer';

/** Offers the model proxy for an agent whose message arrived all at once. */
export function ModelProxyOffer({ agent }: { agent: Agent }) {
  const weft = useWeft();
  const name = oneLine(agent.name);
  const accept = async () => {
    await saveAgent(weft, { ...entryOf(agent), modelProxy: {} });
    say(t('modelProxyOffer.on', { name }));
  };
  const decline = async () => {
    await declineModelProxy(weft, agent.id);
    say(t('modelProxyOffer.declined', { name }));
  };
  return (
    <Offer
      label={t('modelProxyOffer.label', { name })}
      icon={TextCursorInput}
      decline={{ label: t('modelProxyOffer.decline'), work: decline }}
      accept={{ label: t('modelProxyOffer.accept'), work: accept }}
    >
      <p>{t('modelProxyOffer.whole', { name })}</p>
      <p className="agent-offer-why">{t('modelProxyOffer.why')}</p>
    </Offer>
  );
}
