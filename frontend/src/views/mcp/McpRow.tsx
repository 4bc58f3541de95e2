import { Menu } from '@base-ui/react/menu';
import { CircleAlert, MoreHorizontal, Pencil, Power, Trash2 } from 'lucide-react';
import { removeMcpServer, saveMcpServer } from '../../commands/mcp';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import { showUndoable } from '../../state/notify';
import { useWeft } from '../../state/weft';
import type { McpServer } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';
import { SecretLocation } from '../secrets/SecretLocation';
import { again } from './forms';
import { McpTestResult } from './McpTestResult';
import { useMcpTest } from './useMcpTest';

/** An MCP server: its connection, where its secrets are stored, and whether it works. */
export function McpRow({ server, onEdit }: { server: McpServer; onEdit(): void }) {
  const weft = useWeft();
  const test = useMcpTest();
  const name = oneLine(server.name);
  const save = (what: Partial<McpServer>) =>
    weft.attempt(t('failed.mcp'), () => saveMcpServer(weft, server.name, again(server, what)));
  const remove = () =>
    void weft.attempt(t('failed.mcp'), async () => {
      await removeMcpServer(weft, server.name);
      showUndoable(t('mcp.removed', { name }), () => void save({}));
    });
  const how = server.type === 'stdio' ? [server.command, ...server.args].join(' ') : server.url;
  return (
    <li id={`mcp-${server.name}`} className="agent" data-off={server.disabled || undefined}>
      <div className="agent-main">
        <h3 className="agent-name">
          {name}
          <span className="tag">{t(`mcp.types.${server.type}`)}</span>
          {server.via === 'gateway' && <span className="tag">{t('mcp.vias.gateway')}</span>}
          {server.disabled && <span className="tag">{t('mcp.off')}</span>}
        </h3>
        <code className="agent-command">{oneLine(how)}</code>
        {server.troubles.map((why) => (
          <p key={why} className="mcp-trouble">
            <CircleAlert size={14} aria-hidden />
            <span>
              <Lines text={translated(why)} />
            </span>
          </p>
        ))}
        <SecretLocation
          refs={Object.values(server.type === 'stdio' ? server.secretEnv : server.secretHeaders)}
        />
      </div>
      <div className="agent-actions">
        <button
          type="button"
          className="button"
          onClick={() => (test.running ? test.cancel() : void test.run({ name: server.name }))}
        >
          {test.running ? t('cancel') : t('agents.test')}
        </button>
        <Menu.Root modal={false}>
          <Menu.Trigger
            className="icon-button"
            aria-label={t('agents.menu', { name })}
            title={t('agents.menu', { name })}
          >
            <MoreHorizontal size={16} aria-hidden />
          </Menu.Trigger>
          <Menu.Portal>
            <Menu.Positioner sideOffset={4} align="end">
              <Menu.Popup className="menu">
                <Menu.Item className="menu-item" onClick={onEdit}>
                  <Pencil size={14} aria-hidden />
                  {t('agents.edit')}
                </Menu.Item>
                <Menu.Item className="menu-item" onClick={() => void save({ disabled: !server.disabled })}>
                  <Power size={14} aria-hidden />
                  {server.disabled ? t('mcp.enable') : t('mcp.disable')}
                </Menu.Item>
                <Menu.Separator className="menu-line" />
                <Menu.Item className="menu-item danger" onClick={remove}>
                  <Trash2 size={14} aria-hidden />
                  {t('agents.remove')}
                </Menu.Item>
              </Menu.Popup>
            </Menu.Positioner>
          </Menu.Portal>
        </Menu.Root>
      </div>
      <McpTestResult test={test} />
    </li>
  );
}
