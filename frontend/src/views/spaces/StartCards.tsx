import { Download, KeyRound, RefreshCw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { rescanAgents } from '../../commands/agents';
import { t } from '../../i18n';
import { useWeft } from '../../state/weft';
import type { Agent } from '../../transport/api';
import { inactiveWhile } from '../parts/inactiveWhile';
import { AgentOption } from './AgentOption';
import type { AgentPick } from './pick';
import './start.css';

/** The choices at the first start: a detected agent, a model, or an agent to install. */
export function StartCards({ ready, chosen, onChoose, onAdd }: AgentPick) {
  const weft = useWeft();
  const isModel = ({ model }: Agent) => (model ?? null) !== null;
  const found = ready.filter((agent) => agent.source !== 'builtin' && !isModel(agent));
  const guide = ready.find(({ source }) => source === 'builtin');
  const options = (agents: readonly Agent[]) =>
    agents.map((agent) => (
      <AgentOption
        key={agent.id}
        agent={agent}
        chosen={agent === chosen}
        onChoose={() => onChoose(agent.id)}
      />
    ));
  return (
    <fieldset className="start-cards">
      <legend className="visually-hidden">{t('newSpace.agent')}</legend>
      <Card title={t('start.found')} note={found.length === 0 ? t('start.foundNone') : null} wide>
        {found.length > 0 && <div className="agent-choices">{options(found)}</div>}
        <div className="start-more">
          {found.length === 0 && <Rescan />}
          <button type="button" className="text-button" onClick={() => onAdd('command')}>
            {t('newSpace.useCommand')}
          </button>
        </div>
        {guide !== undefined && (
          <label className="guide-choice" data-chosen={guide === chosen}>
            <input type="radio" name="agent" checked={guide === chosen} onChange={() => onChoose(guide.id)} />
            <span>{t('start.guide')}</span>
            <span className="guide-choice-note">{t('start.guideNote')}</span>
          </label>
        )}
      </Card>
      <Card title={t('start.model')} note={t('start.modelNote')}>
        {options(ready.filter(isModel))}
        <button type="button" className="button" onClick={() => onAdd('model')}>
          <KeyRound size={14} aria-hidden />
          {t('newSpace.useModel')}
        </button>
      </Card>
      <Card title={t('start.browse')} note={t('start.browseNote')}>
        <button type="button" className="button" onClick={() => weft.show('registry')}>
          <Download size={14} aria-hidden />
          {t('newSpace.browse')}
        </button>
      </Card>
    </fieldset>
  );
}

interface CardProps {
  title: string;
  note: string | null;
  wide?: boolean;
  children: ReactNode;
}

function Card({ title, note, wide = false, children }: CardProps) {
  return (
    <section className="start-card" data-wide={wide || undefined} aria-label={title}>
      <div>
        <h2 className="choice-title">{title}</h2>
        {note !== null && <p className="start-card-note">{note}</p>}
      </div>
      {children}
    </section>
  );
}

/** Rescans for agents, because one may have been installed meanwhile. */
function Rescan() {
  const weft = useWeft();
  const [busy, setBusy] = useState(false);
  return (
    <button
      type="button"
      className="text-button"
      {...inactiveWhile(busy)}
      onClick={() => {
        setBusy(true);
        void rescanAgents(weft).finally(() => setBusy(false));
      }}
    >
      <RefreshCw size={13} aria-hidden className={busy ? 'spinning' : undefined} />
      {t(busy ? 'agents.scanning' : 'agents.rescan')}
    </button>
  );
}
