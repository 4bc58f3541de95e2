import { ClipboardPaste, Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { McpServer } from '../../transport/api';
import { asCommandError } from '../../transport/transport';
import { lines } from '../parts/clean';
import { McpForm } from './McpForm';
import { McpPaste } from './McpPaste';
import { McpRow } from './McpRow';
import './mcp.css';

/** The servers whose tools agents have. */
export default function McpSettings() {
  const weft = useWeft();
  const version = useStore(weft.store, (state) => state.mcpVersion);
  const connection = useStore(weft.store, (state) => state.connection);
  const [servers, setServers] = useState<readonly McpServer[] | null>(null);
  const [error, setError] = useState('');
  const [form, setForm] = useState<McpServer | 'new' | 'paste' | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again when something has changed
  useEffect(() => {
    let gone = false;
    weft.transport.call('MCPServers').then(
      (list) => {
        if (gone) return;
        setServers(list ?? []);
        setError('');
      },
      (failure: unknown) => !gone && setError(asCommandError(failure).message),
    );
    return () => {
      gone = true;
    };
  }, [weft, version, connection]);
  const close = () => setForm(null);
  return (
    <section className="settings-part" aria-labelledby="settings-mcp">
      <div className="settings-head">
        <h2 id="settings-mcp">{t('mcp.title')}</h2>
        <span className="grow" />
        <button type="button" className="button plain" onClick={() => setForm('paste')}>
          <ClipboardPaste size={14} aria-hidden />
          {t('mcp.paste')}
        </button>
        <button type="button" className="button" onClick={() => setForm('new')}>
          <Plus size={14} aria-hidden />
          {t('mcp.addButton')}
        </button>
      </div>
      <p className="settings-lead">{t('mcp.lead')}</p>
      {error !== '' && (
        <p className="field-error" role="alert">
          {lines(error)}
        </p>
      )}
      {servers !== null && servers.length === 0 && <p className="mcp-none">{t('mcp.none')}</p>}
      {servers !== null && servers.length > 0 && (
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
