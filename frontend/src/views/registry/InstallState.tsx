import { CircleAlert, CircleCheck } from 'lucide-react';
import { cancelInstall, dismissInstall } from '../../commands/registry';
import { createSpace } from '../../commands/spaces';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import { recentFolders } from '../../state/folders';
import { useWeft } from '../../state/weft';
import type { Install, RegistryAgent } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';
import { running } from '../parts/numbers';
import { useSeconds } from '../parts/useNow';
import { InstallQuestion } from './InstallQuestion';
import { progressWords } from './words';

/** Progress or result of an installation. */
export function InstallState({ agent, install }: { agent: RegistryAgent; install: Install }) {
  switch (install.state) {
    case 'running':
      return <Running install={install} />;
    case 'asking':
      return install.question && <InstallQuestion install={install} question={install.question} />;
    case 'failed':
      return <Failed install={install} />;
    case 'cancelled':
      return (
        <p className="registry-state" role="status">
          {t('registry.cancelled')}
          <Dismiss id={install.id} />
        </p>
      );
    case 'done':
      return <Done agent={agent} install={install} />;
  }
}

function Running({ install }: { install: Install }) {
  const weft = useWeft();
  const now = useSeconds(true);
  const name = oneLine(install.name);
  const known = install.step === 'download' && install.total > 0;
  return (
    <div className="registry-progress">
      <p className="visually-hidden" role="status">
        {install.update ? t('registry.updating') : t('registry.installing')} {name}
      </p>
      <div className="registry-progress-head">
        <span className="tabular">{progressWords(install)}</span>
        <span className="tabular quiet-text">{running(now - install.startedAt)}</span>
        <span className="grow" />
        <button
          type="button"
          className="button"
          onClick={() => void weft.attempt(t('failed.install'), () => cancelInstall(weft, install.id))}
        >
          {t('cancel')}
        </button>
      </div>
      <progress
        className="progress-bar"
        aria-label={t('registry.progress', { name })}
        {...(known && { value: install.done, max: install.total })}
      />
      {install.line !== '' && <p className="registry-log mono truncate">{oneLine(install.line)}</p>}
    </div>
  );
}

function Failed({ install }: { install: Install }) {
  const detail = install.failure?.detail ?? '';
  return (
    <div className="registry-ended" data-ok="false" role="alert">
      <p className="registry-ended-title">
        <CircleAlert size={15} aria-hidden />
        {t('registry.notInstalled', { name: oneLine(install.name), version: oneLine(install.version) })}
      </p>
      <p>
        <Lines text={install.failure === null ? '' : translated(install.failure)} />
      </p>
      {detail !== '' && (
        <details>
          <summary>{t('registry.details')}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
          <pre className="code-box" tabIndex={0}>
            <Lines text={detail} />
          </pre>
        </details>
      )}
      <Dismiss id={install.id} />
    </div>
  );
}

function Done({ agent, install }: { agent: RegistryAgent; install: Install }) {
  const weft = useWeft();
  const names = { name: oneLine(install.name), version: oneLine(install.version) };
  const begin = () =>
    void weft.attempt(t('failed.create'), async () => {
      const { spaces, about } = weft.server.get();
      await dismissInstall(weft, install.id);
      await createSpace(weft, install.agentId, recentFolders(spaces)[0] || about.folder || about.home);
    });
  return (
    <div className="registry-ended" data-ok="true">
      <p className="registry-ended-title" role="status">
        <CircleCheck size={15} aria-hidden />
        {install.update ? t('registry.doneUpdate', names) : t('registry.done', names)}
      </p>
      {install.sha256 !== '' && (
        <p className="quiet-text">
          {t('registry.checksum')} <code className="registry-sum">{install.sha256}</code>{' '}
          {install.vouched ? t('registry.vouched') : t('registry.notVouched')}
        </p>
      )}
      {agent.installed !== null && agent.installed.warning !== '' && (
        <p>{oneLine(translated(agent.installed.warning))}</p>
      )}
      <div className="registry-actions">
        {agent.installed !== null && (
          <button type="button" className="button" onClick={begin}>
            {t('registry.open')}
          </button>
        )}
        <Dismiss id={install.id} />
      </div>
    </div>
  );
}

function Dismiss({ id }: { id: string }) {
  const weft = useWeft();
  return (
    <button
      type="button"
      className="button plain"
      onClick={() => void dismissInstall(weft, id).catch(() => {})}
    >
      {t('registry.dismiss')}
    </button>
  );
}
