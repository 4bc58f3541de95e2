import { ChevronRight } from 'lucide-react';
import { t } from '../../i18n';
import { useWeft } from '../../state/weft';
import { AgentOption } from './AgentOption';
import type { AgentPick } from './pick';

/** The agents for another space: all usable ones, side by side. */
export function AgentGrid({ ready, chosen, onChoose, onAdd }: AgentPick) {
  const weft = useWeft();
  return (
    <>
      <div className="agent-choices" role="radiogroup" aria-labelledby="choose-agent">
        {ready.map((agent) => (
          <AgentOption
            key={agent.id}
            agent={agent}
            chosen={agent === chosen}
            onChoose={() => onChoose(agent.id)}
          />
        ))}
        <button type="button" className="agent-choice more" onClick={() => weft.show('settings')}>
          <span className="agent-choice-name">{t('newSpace.moreAgents')}</span>
          <ChevronRight size={14} aria-hidden />
        </button>
      </div>
      {ready.every(({ source }) => source === 'builtin') && (
        <p className="choice-note">
          {t('newSpace.noAgents')}{' '}
          <button type="button" className="text-button" onClick={() => onAdd('model')}>
            {t('newSpace.useModel')}
          </button>
          {' · '}
          <button type="button" className="text-button" onClick={() => weft.show('registry')}>
            {t('newSpace.browse')}
          </button>
          {' · '}
          <button type="button" className="text-button" onClick={() => onAdd('command')}>
            {t('newSpace.useCommand')}
          </button>
        </p>
      )}
    </>
  );
}
