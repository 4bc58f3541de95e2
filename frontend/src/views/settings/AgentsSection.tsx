import { ChevronRight, Download, Plus, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { rescanAgents } from '../../commands/agents';
import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Agent } from '../../transport/api';
import { inactiveWhile } from '../parts/inactiveWhile';
import { AgentForm } from './AgentForm';
import { AgentRow } from './AgentRow';

/** Usable agents, and known ones that aren't installed. */
export function AgentsSection() {
  const weft = useWeft();
  const agents = useStore(weft.server, (state) => state.agents);
  const wanted = useStore(weft.shown, (state) => state.settings.at?.row ?? '');
  const [form, setForm] = useState<Agent | 'new' | null>(null);
  const [scanning, setScanning] = useState(false);
  const here = agents.filter(
    ({ source, installed }) => source !== 'catalog' && (installed || source === 'custom'),
  );
  const known = agents.filter((agent) => !here.includes(agent));
  const rescan = async () => {
    setScanning(true);
    await rescanAgents(weft);
    setScanning(false);
  };
  const row = (agent: Agent) => (
    <AgentRow
      key={agent.id}
      agent={agent}
      wanted={wanted === `agent-${agent.id}`}
      onEdit={() => setForm(agent)}
    />
  );
  return (
    <section className="settings-part" aria-labelledby="settings-agents">
      <div className="settings-head">
        <h2 id="settings-agents">{t('agents.title')}</h2>
        <span className="grow" />
        <button
          id="settings-rescan"
          type="button"
          className="button plain"
          {...inactiveWhile(scanning)}
          onClick={() => void rescan()}
        >
          <RefreshCw size={14} aria-hidden className={scanning ? 'spinning' : undefined} />
          {scanning ? t('agents.scanning') : t('agents.rescan')}
        </button>
        <button
          id="settings-browse-agents"
          type="button"
          className="button"
          onClick={() => weft.show('registry')}
        >
          <Download size={14} aria-hidden />
          {t('agents.browse')}
        </button>
        <button id="settings-add-agent" type="button" className="button" onClick={() => setForm('new')}>
          <Plus size={14} aria-hidden />
          {t('agents.add')}
        </button>
      </div>
      <p className="settings-lead">{t('agents.lead')}</p>
      <ul id="settings-agent-list" className="agent-list">
        {here.map(row)}
      </ul>
      {known.length > 0 && (
        <details className="more settings-known" open={known.some(({ id }) => wanted === `agent-${id}`)}>
          <summary>
            <ChevronRight className="chevron" size={14} aria-hidden />
            {t('agents.known', { count: known.length, n: known.length })}
          </summary>
          <ul className="agent-list">{known.map(row)}</ul>
        </details>
      )}
      {form !== null && <AgentForm agent={form === 'new' ? null : form} onClose={() => setForm(null)} />}
    </section>
  );
}
