import { Copy } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { t } from '../../i18n';
import { copyText } from '../../markdown';
import { loadLater } from '../../state/loadLater';
import { say } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';

const Notices = lazy(() => loadLater(() => import('./Notices')));

/** Paths of settings and data, and the version. */
export function About() {
  const weft = useWeft();
  const about = useStore(weft.server, (state) => state.about);
  return (
    <section className="settings-part" aria-labelledby="settings-about">
      <h2 id="settings-about">{t('about.title')}</h2>
      <dl className="facts wide">
        <Place id="settings-file" name={t('about.settings')} path={about.settingsPath} />
        <Place id="settings-data" name={t('about.data')} path={about.dataDir} />
        <div id="settings-version">
          <dt>{t('about.version')}</dt>
          <dd>
            Weft {oneLine(about.version)} · {oneLine(about.platform)}
          </dd>
        </div>
      </dl>
      <p className="settings-lead">{t('about.note')}</p>
      <ThirdParty />
    </section>
  );
}

/** The third-party licenses, loaded on demand. */
function ThirdParty() {
  const [shown, setShown] = useState(false);
  return (
    <div id="settings-notices" className="notices-part">
      <h3 id="settings-notices-title">{t('about.notices')}</h3>
      <p className="settings-lead">{t('about.noticesLead')}</p>
      <button
        type="button"
        className="button"
        aria-expanded={shown}
        aria-controls="settings-notices-list"
        onClick={() => setShown(!shown)}
      >
        {t(shown ? 'about.noticesHide' : 'about.noticesShow')}
      </button>
      <div id="settings-notices-list" className="notices-list">
        {shown && (
          <Suspense fallback={<p className="settings-lead delayed">{t('loading')}</p>}>
            <Notices />
          </Suspense>
        )}
      </div>
    </div>
  );
}

/** A labeled path that can be copied. */
export function Place({ id, name, path }: { id: string; name: string; path: string }) {
  return (
    <div id={id}>
      <dt>{name}</dt>
      <dd className="mono">
        {oneLine(path)}
        <button
          type="button"
          className="icon-button quiet"
          aria-label={t('about.copyPath', { name })}
          title={t('copy')}
          onClick={() => void copyText(path).then(() => say(t('copied')))}
        >
          <Copy size={13} aria-hidden />
        </button>
      </dd>
    </div>
  );
}
