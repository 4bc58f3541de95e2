import { Menu } from '@base-ui/react/menu';
import { Copy, ExternalLink, LogOut, MoreHorizontal, Pencil, Star, Trash2 } from 'lucide-react';
import {
  duplicateAgent,
  logOut,
  reloadAgents,
  removeAgent,
  saveAgent,
  setDefaultAgent,
} from '../../commands/agents';
import { openLink } from '../../commands/links';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import { copyText } from '../../markdown';
import { say, showUndoable } from '../../state/notify';
import { useWeft, type Weft } from '../../state/weft';
import type { Agent } from '../../transport/api';
import { Fixes } from '../errors/Fixes';
import { oneLine } from '../parts/clean';
import { exactLine } from '../parts/exact';
import { AgentTested } from './AgentTested';
import { entryOf } from './entry';
import { TestResult } from './TestResult';
import { useAgentTest } from './useAgentTest';

interface AgentRowProps {
  agent: Agent;
  wanted: boolean;
  onEdit(): void;
}

/** An agent: what it is, how it is started, and whether it works. */
export function AgentRow({ agent, wanted, onEdit }: AgentRowProps) {
  const test = useAgentTest();
  const name = oneLine(agent.name);
  const failure = test.result?.failure ?? null;
  return (
    <li id={`agent-${agent.id}`} className="agent" data-wanted={wanted}>
      <div className="agent-main">
        <h3 className="agent-name">
          {name}
          {agent.default && <span className="tag accent">{t('agents.default')}</span>}
          {agent.registry !== null ? (
            <span className="tag">
              {t('agents.fromRegistry', { version: oneLine(agent.registry.version) })}
            </span>
          ) : (
            agent.source !== 'catalog' && <span className="tag">{t(`agents.source.${agent.source}`)}</span>
          )}
          {(agent.unasked ?? null) !== null && (
            <span
              className="tag caution"
              title={
                agent.unasked?.about
                  ? t('agents.unaskedNote', { about: exactLine(agent.unasked.about) })
                  : undefined
              }
            >
              {t('agents.unasked')}
            </span>
          )}
        </h3>
        {about(agent) !== '' && <p className="agent-note">{about(agent)}</p>}
        {agent.installed || agent.source === 'custom' ? (
          agent.command !== '' &&
          (agent.model ?? null) === null && (
            <code className="agent-command">{oneLine([agent.command, ...(agent.args ?? [])].join(' '))}</code>
          )
        ) : (
          <Install agent={agent} />
        )}
        {(agent.installed || agent.source === 'custom') && !test.running && test.result === null && (
          <AgentTested agent={agent} />
        )}
      </div>
      <div className="agent-actions">
        {(agent.installed || agent.source === 'custom') && (
          <button
            type="button"
            className="button"
            onClick={() => (test.running ? test.cancel() : void test.run({ agentId: agent.id }))}
          >
            {test.running ? t('cancel') : t('agents.test')}
          </button>
        )}
        <AgentMenu agent={agent} onEdit={onEdit} />
      </div>
      <TestResult
        test={test}
        agentId={agent.id}
        fixes={
          failure !== null && (
            <Fixes
              failure={failure}
              place="test"
              agent={agent}
              actions={{ retry: () => void test.run({ agentId: agent.id }) }}
            />
          )
        }
      />
    </li>
  );
}

/** How to install a missing agent. */
function Install({ agent }: { agent: Agent }) {
  const weft = useWeft();
  // Commands are in backticks.
  const parts = translated(agent.installHint).split('`');
  const command = parts[1];
  return (
    <div className="install">
      <span className="install-hint">
        {parts.map((part, i) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence
          i % 2 === 1 ? <code key={i}>{oneLine(part)}</code> : <span key={i}>{oneLine(part)}</span>,
        )}
      </span>
      {command !== undefined && (
        <button
          type="button"
          className="icon-button quiet"
          aria-label={t('agents.copyInstall', { name: agent.name })}
          title={t('copy')}
          onClick={() => void copyText(command).then(() => say(t('copied')))}
        >
          <Copy size={13} aria-hidden />
        </button>
      )}
      {agent.homepage !== '' && (
        <button type="button" className="text-button" onClick={() => openLink(weft, agent.homepage)}>
          {t('agents.homepage')}
          <ExternalLink size={12} aria-hidden />
        </button>
      )}
    </div>
  );
}

function AgentMenu({ agent, onEdit }: { agent: Agent; onEdit: () => void }) {
  const name = oneLine(agent.name);
  const weft = useWeft();
  const attempt = (action: () => Promise<unknown>) =>
    void weft.attempt(t('failed.agent'), async () => {
      await action();
      await reloadAgents(weft);
    });
  const ready = agent.installed || agent.source === 'custom';
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger
        className="icon-button"
        aria-label={t('agents.menu', { name: oneLine(agent.name) })}
        title={t('agents.menu', { name: oneLine(agent.name) })}
      >
        <MoreHorizontal size={16} aria-hidden />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end">
          <Menu.Popup className="menu">
            {ready && !agent.default && (
              <Menu.Item className="menu-item" onClick={() => attempt(() => setDefaultAgent(weft, agent.id))}>
                <Star size={14} aria-hidden />
                {t('agents.makeDefault')}
              </Menu.Item>
            )}
            <Menu.Item className="menu-item" onClick={onEdit}>
              <Pencil size={14} aria-hidden />
              {t('agents.edit')}
            </Menu.Item>
            <Menu.Item className="menu-item" onClick={() => attempt(() => duplicateAgent(weft, agent.id))}>
              <Copy size={14} aria-hidden />
              {t('agents.duplicate')}
            </Menu.Item>
            {agent.logOut && (
              <Menu.Item className="menu-item" onClick={() => void logOut(weft, { agentId: agent.id }, name)}>
                <LogOut size={14} aria-hidden />
                {t('agents.logOut')}
              </Menu.Item>
            )}
            {agent.source !== 'builtin' && agent.source !== 'catalog' && (
              <>
                <Menu.Separator className="menu-line" />
                <Menu.Item className="menu-item danger" onClick={() => void remove(weft, agent)}>
                  <Trash2 size={14} aria-hidden />
                  {t('agents.remove')}
                </Menu.Item>
              </>
            )}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** The agent's description. The guide's is Weft's own, so it is translated. */
function about({ id, source, description }: Agent): string {
  return id === 'guide' && source === 'builtin' ? t('agents.guideNote') : oneLine(description);
}

async function remove(weft: Weft, agent: Agent): Promise<void> {
  await weft.attempt(t('failed.agent'), async () => {
    await removeAgent(weft, agent.id);
    await reloadAgents(weft);
    showUndoable(t('agents.removed', { name: oneLine(agent.name) }), () => {
      void weft.attempt(t('failed.agent'), async () => {
        await saveAgent(weft, entryOf(agent));
        if (agent.default) await setDefaultAgent(weft, agent.id);
        await reloadAgents(weft);
      });
    });
  });
}
