import { ClipboardPaste, Plus } from 'lucide-react';
import { useState } from 'react';
import { t } from '../../i18n';
import { useMcpServers } from '../../queries/settings';
import type { McpServer } from '../../transport/api';
import { Lines } from '../parts/Lines';
import { McpForm } from './McpForm';
import { McpPaste } from './McpPaste';
import { McpRow } from './McpRow';
import './mcp.css';

/** Settings for the MCP servers that agents can use. */
export default function McpSettings() {
  const { data: servers, error } = useMcpServers();
  const [form, setForm] = useState<McpServer | 'new' | 'paste' | null>(null);
  const close = () => setForm(null);
  return (
    <section className="settings-part" aria-labelledby="settings-mcp">
      <div className="settings-head">
        <h2 id="settings-mcp">{t('mcp.title')}</h2>
        <span className="grow" />
        <button
          id="settings-paste-mcp"
          type="button"
          className="button plain"
          onClick={() => setForm('paste')}
        >
          <ClipboardPaste size={14} aria-hidden />
          {t('mcp.paste')}
        </button>
        <button id="settings-add-mcp" type="button" className="button" onClick={() => setForm('new')}>
          <Plus size={14} aria-hidden />
          {t('mcp.addButton')}
        </button>
      </div>
      <p className="settings-lead">{t('mcp.lead')}</p>
      {error !== null && (
        <p className="field-error" role="alert">
          <Lines text={error.message} />
        </p>
      )}
      {servers !== undefined && servers.length === 0 && <p className="mcp-none">{t('mcp.none')}</p>}
      {servers !== undefined && servers.length > 0 && (
        <ul className="agent-list" aria-label={t('mcp.title')}>
          {servers.map((server) => (
            <McpRow key={server.name} server={server} onEdit={() => setForm(server)} />
          ))}
        </ul>
      )}
      {form === 'paste' && <McpPaste taken={(servers ?? []).map(({ name }) => name)} onClose={close} />}
      {form !== null && form !== 'paste' && <McpForm server={form === 'new' ? null : form} onClose={close} />}
    </section>
  );
}
