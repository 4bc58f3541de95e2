import { Popover } from '@base-ui/react/popover';
import { Check, CircleAlert, CircleSlash, Plug } from 'lucide-react';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import { offeredOf } from '../../state/offered';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Handed } from '../../transport/api';
import { lines, oneLine } from '../parts/clean';
import './mcp.css';

/** Which MCP servers the agents of a space received, and which they didn't; renders nothing if there are none. */
export function SpaceServers({ session }: { session: Session }) {
  const weft = useWeft();
  const members = useStore(session.store, ({ space }) => space?.members) ?? [];
  const state = useStore(session.store, ({ conversation }) => conversation.state);
  const servers = members.flatMap((member) =>
    (offeredOf({ state }, member.id)?.servers ?? []).map((server) => ({ ...server, member })),
  );
  if (servers.length === 0) return null;
  const handed = servers.filter((one) => one.handed).length;
  const troubled = servers.some(({ why }) => why === 'secret');
  const label =
    handed === servers.length
      ? t('mcp.handedAll', { count: handed, n: handed })
      : t('mcp.handedSome', { n: handed, all: servers.length });
  return (
    <Popover.Root>
      <Popover.Trigger
        className="icon-button mcp-trigger"
        aria-label={label}
        title={label}
        data-troubled={troubled || undefined}
      >
        <Plug size={16} aria-hidden />
        {handed < servers.length && (
          <span className="tabular">
            {handed}/{servers.length}
          </span>
        )}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner align="end" sideOffset={6}>
          <Popover.Popup className="menu mcp-received" aria-label={t('mcp.title')}>
            <p className="form-label">{t('mcp.title')}</p>
            <ul>
              {servers.map((server) => {
                const { name, type, handed: has, why, member } = server;
                const agentName = oneLine(member.name);
                const Icon = has ? Check : why === 'secret' ? CircleAlert : CircleSlash;
                return (
                  <li key={`${member.id} ${name}`} data-why={why}>
                    <Icon size={14} aria-hidden />
                    <div>
                      <span>
                        {oneLine(name)} <span className="quiet-text">{oneLine(type)}</span>
                      </span>
                      <p className="form-note">{serverOutcome(server, agentName)}</p>
                    </div>
                  </li>
                );
              })}
            </ul>
            <p className="form-note">{t('mcp.handedNote')}</p>
            <button type="button" className="text-button" onClick={() => weft.showSettings('mcp')}>
              {t('mcp.open')}
            </button>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function serverOutcome({ handed, connected, via, why, type, problem }: Handed, agent: string): string {
  if (handed && via === 'gateway')
    return t(connected === true ? 'mcp.through' : 'mcp.offeredThrough', { agent });
  if (handed) return t(connected === true ? 'mcp.uses' : 'mcp.has', { agent });
  if (why === 'secret') return t('mcp.noSecret', { problem: lines(translated(problem ?? '')) });
  if (why === 'gateway') return t('mcp.noGateway', { agent });
  if (why === 'refused') return t('mcp.refused', { agent });
  return t('mcp.noTransport', { agent, type: oneLine(type) });
}
