import { ChevronRight, Download, Plus, RefreshCw } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { rescanAgents } from '../../commands/agents';
import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Agent } from '../../transport/api';
import { CallSettings } from '../calls/CallSettings';
import { PermissionSettings } from '../permissions/PermissionSettings';
import { SecretSettings } from '../secrets/SecretSettings';
import { About } from './About';
import { AgentForm } from './AgentForm';
import { AgentRow } from './AgentRow';
import { AppearanceForm } from './AppearanceForm';
import { Worktrees } from './Worktrees';
import './settings.css';

import { OwnTools } from '../mcp/OwnTools';

const McpSettings = lazy(() => import('../mcp/McpSettings'));

/** Agents, MCP servers, appearance, and where everything is. */
export function Settings() {
  const weft = useWeft();
  const agents = useStore(weft.server, (state) => state.agents);
  const wanted = useStore(weft.shown, (state) => state.settings.agent);
  const [form, setForm] = useState<Agent | 'new' | null>(null);
  const [scanning, setScanning] = useState(false);
  const here = agents.filter(
    ({ source, installed }) => source !== 'catalog' && (installed || source === 'custom'),
  );
  const known = agents.filter((agent) => !here.includes(agent));

  useEffect(() => {
    if (wanted === null) return;
    document.getElementById(`agent-${wanted}`)?.scrollIntoView({ block: 'center' });
  }, [wanted]);
  const rescan = async () => {
    setScanning(true);
    await rescanAgents(weft);
    setScanning(false);
  };
  return (
    <main className="settings">
      <div className="settings-inner">
        <h1 className="page-title">{t('settings.title')}</h1>

        <section className="settings-part" aria-labelledby="settings-agents">
          <div className="settings-head">
            <h2 id="settings-agents">{t('agents.title')}</h2>
            <span className="grow" />
            <button type="button" className="button plain" disabled={scanning} onClick={() => void rescan()}>
              <RefreshCw size={14} aria-hidden className={scanning ? 'turning' : undefined} />
              {scanning ? t('agents.scanning') : t('agents.rescan')}
            </button>
            <button type="button" className="button" onClick={() => weft.show('registry')}>
              <Download size={14} aria-hidden />
              {t('agents.browse')}
            </button>
            <button type="button" className="button" onClick={() => setForm('new')}>
              <Plus size={14} aria-hidden />
              {t('agents.add')}
            </button>
          </div>
          <p className="settings-lead">{t('agents.lead')}</p>
          <ul className="agent-list">
            {here.map((agent) => (
              <AgentRow
                key={agent.id}
                agent={agent}
                wanted={agent.id === wanted}
                onEdit={() => setForm(agent)}
              />
            ))}
          </ul>
          {known.length > 0 && (
            <details className="more settings-known" open={known.some(({ id }) => id === wanted)}>
              <summary>
                <ChevronRight className="chevron" size={14} aria-hidden />
                {t('agents.known', { count: known.length, n: known.length })}
              </summary>
              <ul className="agent-list">
                {known.map((agent) => (
                  <AgentRow
                    key={agent.id}
                    agent={agent}
                    wanted={agent.id === wanted}
                    onEdit={() => setForm(agent)}
                  />
                ))}
              </ul>
            </details>
          )}
        </section>
        <Suspense fallback={null}>
          <McpSettings />
        </Suspense>
        <OwnTools />
        <CallSettings />
        <SecretSettings />
        <PermissionSettings />
        <Worktrees />
        <AppearanceForm />
        <About />
      </div>
      {form !== null && <AgentForm agent={form === 'new' ? null : form} onClose={() => setForm(null)} />}
    </main>
  );
}
