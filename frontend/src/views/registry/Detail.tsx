import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import { openLink } from '../../commands/links';
import { installAgent } from '../../commands/registry';
import { t } from '../../i18n';
import { joinFacts } from '../../i18n/formats';
import { translated } from '../../i18n/said';
import { useDownloadSize } from '../../queries/registry';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Install, InstalledInfo, RegistryAgent, RegistryWay } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { inactiveWhile } from '../parts/inactiveWhile';
import { WholeLine } from '../parts/Lines';
import { ago, bytes, exact } from '../parts/numbers';
import { shortPath } from '../parts/paths';
import { useMinutes } from '../parts/useNow';
import { isActive, startLine, visibleLineBreaks } from './words';

interface DetailProps {
  agent: RegistryAgent;
  platform: string;
  install: Install | null;
  onRemove(): void;
}

/** The details of an agent before its installation, and its actions. */
export function Detail({ agent, platform, install, onRemove }: DetailProps) {
  const weft = useWeft();
  const [kind, setKind] = useState(agent.ways[0]?.kind);
  const [busy, setBusy] = useState(false);
  const way = agent.ways.find((one) => one.kind === kind) ?? agent.ways[0];
  const { installed } = agent;
  const running = busy || (install !== null && isActive(install));
  const can = installed === null || installed.update || installed.broken;
  const begin = async () => {
    if (way === undefined || running || way.missing !== '') return;
    setBusy(true);
    const { id, revision } = agent;
    await weft.attempt(t('failed.install'), () =>
      installAgent(weft, { id, revision, kind: way.kind, ask: true }),
    );
    setBusy(false);
  };
  return (
    <div className="registry-detail">
      <Facts agent={agent} />
      {installed !== null && <InstalledVersion installed={installed} />}
      {installed !== null && installed.warning !== '' && (
        <p className="registry-notice">{oneLine(translated(installed.warning))}</p>
      )}
      {way !== undefined && can && (
        <>
          {agent.ways.length > 1 && (
            <fieldset className="registry-ways">
              <legend className="form-label">{t('registry.way')}</legend>
              <div className="segments">
                {agent.ways.map((one) => (
                  <label key={one.kind} className="segment" data-chosen={one === way}>
                    <input
                      type="radio"
                      name={`way-${agent.id}`}
                      checked={one === way}
                      onChange={() => setKind(one.kind)}
                    />
                    {t(`registry.kinds.${one.kind}`)}
                  </label>
                ))}
              </div>
            </fieldset>
          )}
          <Plan agent={agent} way={way} />
          <p className="registry-rights">{t('registry.rights', { name: oneLine(agent.name) })}</p>
          {way.missing !== '' && (
            <p className="registry-notice">{t('registry.needs', { tool: way.missing })}</p>
          )}
        </>
      )}
      {agent.gone && <p className="registry-notice">{t('registry.goneNote')}</p>}
      {!agent.gone && way === undefined && (
        <p className="registry-notice">
          {agent.platforms.length > 0
            ? t('registry.onlyFor', { platforms: joinFacts(agent.platforms), platform })
            : t('registry.onlyNothing', { platform })}
        </p>
      )}
      {agent.problems.map((problem) => (
        <p key={problem} className="registry-notice">
          {oneLine(translated(problem))}
        </p>
      ))}
      <div className="registry-actions">
        {way !== undefined && can && (
          <button
            type="button"
            className="button primary"
            // Not disabled, because it would lose the focus.
            aria-disabled={running || way.missing !== ''}
            onClick={() => void begin()}
          >
            {installed === null
              ? t('registry.install')
              : installed.update
                ? t('registry.updateTo', { version: oneLine(agent.version) })
                : t('registry.installAgain')}
          </button>
        )}
        {installed !== null && (
          <>
            <button
              type="button"
              className="button"
              onClick={() => weft.showAgent(installed.agents[0]?.id ?? '')}
            >
              {t('registry.settings')}
            </button>
            <button type="button" className="button" {...inactiveWhile(running)} onClick={onRemove}>
              {t('registry.remove')}
            </button>
          </>
        )}
      </div>
    </div>
  );
}

function Facts({ agent }: { agent: RegistryAgent }) {
  return (
    <dl className="facts">
      <Fact name={t('registry.version')}>{oneLine(agent.version)}</Fact>
      {!agent.gone && (
        <Fact name={t('registry.licence')}>
          {oneLine(agent.license) || t('registry.licenceNone')} <Link url={agent.licenseUrl} />
        </Fact>
      )}
      {agent.authors.length > 0 && (
        <Fact name={t('registry.authors')}>{oneLine(joinFacts(agent.authors))}</Fact>
      )}
      {agent.repository !== '' && (
        <Fact name={t('registry.repository')}>
          <Link url={agent.repository} />
        </Fact>
      )}
      {agent.website !== '' && (
        <Fact name={t('registry.website')}>
          <Link url={agent.website} />
        </Fact>
      )}
    </dl>
  );
}

/** The installed version. */
function InstalledVersion({ installed }: { installed: InstalledInfo }) {
  const weft = useWeft();
  const home = useStore(weft.server, (state) => state.about.home);
  const now = useMinutes();
  return (
    <dl className="facts">
      <Fact name={t('registry.installedAt')}>
        {oneLine(installed.version)}
        {installed.installedAt > 0 && (
          <>
            {' · '}
            <time title={exact(installed.installedAt)}>{ago(installed.installedAt, now)}</time>
          </>
        )}
        {installed.kind && ` · ${t(`registry.kinds.${installed.kind}`)}`}
      </Fact>
      {installed.folder !== '' && (
        <Fact name={t('registry.folder')}>
          <code>{oneLine(shortPath(installed.folder, home))}</code>
        </Fact>
      )}
      {installed.bytes > 0 && (
        <Fact name={installed.kind === 'binary' ? t('registry.download') : t('registry.onDisk')}>
          {bytes(installed.bytes)}
        </Fact>
      )}
      {installed.sha256 !== '' && (
        <Fact name={t('registry.checksum')}>
          <code className="registry-sum">{installed.sha256}</code>{' '}
          <span className="quiet-text">
            {installed.vouched ? t('registry.vouched') : t('registry.notVouched')}
          </span>
        </Fact>
      )}
    </dl>
  );
}

/** What exactly will be done and run. */
function Plan({ agent, way }: { agent: RegistryAgent; way: RegistryWay }) {
  const env = Object.entries(way.env);
  return (
    <section className="registry-plan" aria-label={t('registry.willRun')}>
      <h2 className="form-label">{t('registry.willRun')}</h2>
      <dl className="facts">
        {way.kind === 'binary' ? (
          <>
            <Fact name={t('registry.download')}>
              <code>{oneLine(way.origin)}</code> <Size agent={agent} way={way} />
            </Fact>
            <Fact name={t('registry.checksum')}>
              {way.sha256 === '' ? (
                t('registry.noChecksum')
              ) : (
                <>
                  <code className="registry-sum">{way.sha256}</code>{' '}
                  <span className="quiet-text">{t('registry.vouched')}</span>
                </>
              )}
            </Fact>
          </>
        ) : (
          <Fact name={t('registry.toInstall')}>
            <code>{oneLine(way.install.join(' '))}</code>
          </Fact>
        )}
        <Fact name={t('registry.toStart')}>
          <code>{startLine(way)}</code>
        </Fact>
        {env.length > 0 && (
          <Fact name={t('registry.env')}>
            {env.map(([key, value]) => (
              <code key={key} className="registry-env">
                {visibleLineBreaks(`${key}=${value}`)}
              </code>
            ))}
          </Fact>
        )}
      </dl>
    </section>
  );
}

function Size({ agent, way }: { agent: RegistryAgent; way: RegistryWay }) {
  const size = useDownloadSize(agent.id, agent.revision, way.kind).data?.bytes;
  return (
    <span className="quiet-text tabular">
      {size === undefined ? t('registry.asking') : size === 0 ? t('registry.sizeUnknown') : bytes(size)}
    </span>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A URL that opens outside of Weft. It is shown in full because it is not ours. */
function Link({ url }: { url: string }) {
  const weft = useWeft();
  if (url === '') return null;
  return (
    <button type="button" className="text-button registry-link" onClick={() => openLink(weft, url)}>
      <WholeLine text={url} />
      <ExternalLink size={12} aria-hidden />
    </button>
  );
}
