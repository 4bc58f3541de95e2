import { ChevronRight } from 'lucide-react';
import { useEffect, useId, useRef } from 'react';
import { t } from '../../i18n';
import type { Install, RegistryAgent } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { Detail } from './Detail';
import { InstallState } from './InstallState';

export interface RegistryRowProps {
  agent: RegistryAgent;
  platform: string;
  install: Install | null;
  open: boolean;
  onToggle(): void;
  onRemove(): void;
}

/** An agent in the list: a line that expands to its details. */
export function RegistryRow({ agent, platform, install, open, onToggle, onRemove }: RegistryRowProps) {
  const id = useId();
  const line = useRef<HTMLButtonElement>(null);
  const state = install?.state;
  useEffect(() => {
    // The focused element may have disappeared with the change of state.
    if (state !== 'running' && document.activeElement === document.body && open) line.current?.focus();
  }, [state, open]);
  return (
    <li className="registry-agent" data-open={open}>
      <button
        ref={line}
        type="button"
        className="registry-line"
        aria-expanded={open}
        aria-controls={id}
        onClick={onToggle}
      >
        <Monogram name={agent.name} />
        <span className="registry-text">
          <span className="registry-name">
            {oneLine(agent.name)}
            <Marks agent={agent} install={install} />
          </span>
          <span className="registry-note truncate">{oneLine(agent.description)}</span>
        </span>
        <span className="registry-version tabular">{oneLine(agent.version)}</span>
        <ChevronRight className="chevron" size={14} aria-hidden />
      </button>
      <div id={id} className="registry-below">
        {install !== null && <InstallState agent={agent} install={install} />}
        {open && <Detail agent={agent} platform={platform} install={install} onRemove={onRemove} />}
      </div>
    </li>
  );
}

/** Registry icons are remote images, which are never loaded: the agent's first letter is shown instead. */
function Monogram({ name }: { name: string }) {
  const letter = /[\p{L}\p{N}]/u.exec(name)?.[0] ?? '·';
  return (
    <span className="monogram" aria-hidden>
      {letter.toUpperCase()}
    </span>
  );
}

function Marks({ agent, install }: { agent: RegistryAgent; install: Install | null }) {
  const { installed } = agent;
  if (install?.state === 'asking') return <span className="tag accent">{t('registry.needsAnswer')}</span>;
  if (install?.state === 'running') {
    return (
      <span className="tag accent">{install.update ? t('registry.updating') : t('registry.installing')}</span>
    );
  }
  return (
    <>
      {installed !== null && (
        <span className="tag">{t('registry.installed', { version: oneLine(installed.version) })}</span>
      )}
      {installed?.update === true && <span className="tag accent">{t('registry.update')}</span>}
      {installed?.broken === true && <span className="tag failed">{t('registry.missingFolder')}</span>}
      {agent.gone && <span className="tag">{t('registry.goneTag')}</span>}
      {!agent.gone && agent.ways.length === 0 && <span className="tag">{t('registry.notHere')}</span>}
    </>
  );
}
