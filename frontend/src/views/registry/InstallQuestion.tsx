import { CircleAlert } from 'lucide-react';
import { useState } from 'react';
import { answerInstall, cancelInstall } from '../../commands/registry';
import { t } from '../../i18n';
import { useWeft } from '../../state/weft';
import type { Install, InstallScript, InstallQuestion as Question } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { exactLine } from '../parts/exact';
import { inactiveWhile } from '../parts/inactiveWhile';
import { bytes } from '../parts/numbers';

const KINDS = {
  unverified_download: 'download',
  install_scripts: 'scripts',
  source_build: 'build',
} as const;

interface InstallQuestionProps {
  install: Install;
  question: Question;
}

/** What the user must confirm before an installation continues. */
export function InstallQuestion({ install, question }: InstallQuestionProps) {
  const weft = useWeft();
  const [busy, setBusy] = useState(false);
  const answer = async (yes: boolean) => {
    setBusy(true);
    await weft.attempt(t('failed.install'), () =>
      answerInstall(weft, { id: install.id, token: question.token, yes }),
    );
    setBusy(false);
  };
  const cancel = () => weft.attempt(t('failed.install'), () => cancelInstall(weft, install.id));
  const names = { name: oneLine(install.name), version: oneLine(install.version) };
  const kind = KINDS[question.code];
  return (
    <section className="registry-ended" data-asks="true" aria-label={t(`registry.confirm.${kind}`)}>
      <p className="registry-ended-title" role="alert">
        <CircleAlert size={15} aria-hidden />
        {t(`registry.confirm.${kind}Title`, names)}
      </p>
      {kind === 'download' && <Download question={question} />}
      {kind === 'scripts' && <Scripts scripts={question.scripts} />}
      {kind === 'build' && <Build packages={question.packages} />}
      <div className="registry-actions">
        <button
          type="button"
          className="button primary"
          {...inactiveWhile(busy)}
          onClick={() => void answer(true)}
        >
          {t(`registry.confirm.${kind}Yes`)}
        </button>
        {kind === 'scripts' && (
          <button
            type="button"
            className="button"
            {...inactiveWhile(busy)}
            onClick={() => void answer(false)}
          >
            {t('registry.confirm.scriptsNo')}
          </button>
        )}
        <button type="button" className="button plain" {...inactiveWhile(busy)} onClick={() => void cancel()}>
          {t('cancel')}
        </button>
      </div>
    </section>
  );
}

function Download({ question }: { question: Question }) {
  const host = question.host === '' ? t('registry.confirm.thisComputer') : oneLine(question.host);
  return (
    <>
      <p>
        {t('registry.confirm.downloadLead', {
          host,
          size: question.bytes > 0 ? bytes(question.bytes) : t('registry.sizeUnknown'),
        })}
      </p>
      <p>
        <code className="registry-sum">{oneLine(question.address)}</code>
      </p>
      <p className="quiet-text">{t('registry.confirm.downloadNote')}</p>
    </>
  );
}

function Scripts({ scripts }: { scripts: InstallScript[] }) {
  return (
    <>
      <p>{t('registry.confirm.scriptsLead')}</p>
      <ul className="registry-scripts" aria-label={t('registry.confirm.scripts')}>
        {scripts.map((one, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a package may be installed more than once
          <li key={i}>
            <span className="registry-script-of">
              <strong>{exactLine(one.package)}</strong> {exactLine(one.version)} · {one.event}
            </span>
            <code>{exactLine(one.command)}</code>
          </li>
        ))}
      </ul>
      <p className="quiet-text">{t('registry.confirm.scriptsNote')}</p>
    </>
  );
}

function Build({ packages }: { packages: string[] }) {
  return (
    <>
      <p>{t(packages.length > 0 ? 'registry.confirm.buildLead' : 'registry.confirm.buildLeadUnnamed')}</p>
      {packages.length > 0 && (
        <ul className="registry-scripts" aria-label={t('registry.confirm.build')}>
          {packages.map((name) => (
            <li key={name}>
              <code>{exactLine(name)}</code>
            </li>
          ))}
        </ul>
      )}
      <p className="quiet-text">{t('registry.confirm.buildNote')}</p>
    </>
  );
}
