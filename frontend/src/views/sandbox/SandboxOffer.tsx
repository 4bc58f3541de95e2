import { Box } from 'lucide-react';
import { useRef } from 'react';
import { declineSandbox, reloadAgents, saveAgent } from '../../commands/agents';
import { t } from '../../i18n';
import { Sentence, withSlots } from '../../i18n/Sentence';
import { told } from '../../i18n/said';
import { runAction } from '../../keyboard/actions';
import { say } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Agent, Space, Unasked } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { exactLine } from '../parts/exact';
import { Lines } from '../parts/Lines';
import { entryOf } from '../settings/entry';
import './sandbox.css';

/** Offers a sandbox for the first agent of a space that was seen to act without asking there: elsewhere nobody has seen it. */
export function SandboxOffer({ space }: { space: Space }) {
  const weft = useWeft();
  const agents = useStore(weft.server, (state) => state.agents);
  for (const { agentId } of space.members) {
    const agent = agents.find(({ id }) => id === agentId);
    const did = agent?.unasked;
    if (agent !== undefined && did?.offered === true && did.spaceId === space.id)
      return <Offer key={agentId} agent={agent} did={did} />;
  }
  return null;
}

function Offer({ agent, did }: { agent: Agent; did: Unasked }) {
  const weft = useWeft();
  const section = useRef<HTMLElement>(null);
  const busy = useRef(false);
  const name = oneLine(agent.name);
  const possible = did.problem === '';
  const answer = async (work: () => Promise<unknown>) => {
    if (busy.current) return;
    busy.current = true;
    // The button goes with the offer, and the keyboard shouldn't be lost with it.
    const here = section.current?.contains(document.activeElement) === true;
    await weft.attempt(t('failed.agent'), async () => {
      await work();
      await reloadAgents(weft);
    });
    busy.current = false;
    if (here && section.current === null) runAction('composer.focus');
  };
  const accept = () =>
    answer(async () => {
      await saveAgent(weft, { ...entryOf(agent), sandbox: { network: 'allowed' } });
      say(t('sandboxOffer.on', { name }));
    });
  const decline = () =>
    answer(async () => {
      await declineSandbox(weft, agent.id);
      say(t('sandboxOffer.declined', { name }));
    });
  return (
    <section ref={section} className="sandbox-offer" aria-label={t('sandboxOffer.label', { name })}>
      <Box size={15} aria-hidden />
      <div className="sandbox-offer-text" role="status">
        <p>
          <Sentence
            text={withSlots((slot) => t(`sandboxOffer.did.${did.kind}`, { name, what: slot('what') }))}
            slots={{ what: <code>{exactLine(did.about)}</code> }}
          />
        </p>
        <p className="sandbox-offer-why">{t('sandboxOffer.why')}</p>
        {!possible && (
          <p>
            <Lines text={told(did.problem)} />
          </p>
        )}
      </div>
      <div className="sandbox-offer-answers">
        <button type="button" className="button plain" onClick={() => void decline()}>
          {t('sandboxOffer.decline')}
        </button>
        {possible ? (
          <button type="button" className="button" onClick={() => void accept()}>
            {t('sandboxOffer.accept')}
          </button>
        ) : (
          <button type="button" className="button" onClick={() => void answer(async () => {})}>
            {t('sandboxOffer.check')}
          </button>
        )}
      </div>
    </section>
  );
}
