import { Info, TriangleAlert } from 'lucide-react';
import { t } from '../../i18n';
import { translated as sentence } from '../../i18n/said';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';
import { Place } from '../settings/About';

/** Problems with the tools that the user defined in files: mistakes, and what is ignored. */
export function OwnTools() {
  const weft = useWeft();
  const problems = useStore(weft.server, (state) => state.problems);
  const told = problems.filter(({ code }) => code === 'tools' || code === 'tool_notice');
  const { settingsPath } = useStore(weft.server, (state) => state.about);
  return (
    <section className="settings-part" aria-labelledby="settings-own-tools">
      <h2 id="settings-own-tools">{t('ownTools.title')}</h2>
      <p className="settings-lead">{t('ownTools.lead')}</p>
      {settingsPath !== '' && (
        <dl className="facts wide">
          <Place
            id="settings-tools-folder"
            name={t('ownTools.folder')}
            // Next to the settings file.
            path={settingsPath.replace(/[^/\\]*$/, 'tools')}
          />
        </dl>
      )}
      {told.length === 0 && <p className="mcp-none">{t('ownTools.none')}</p>}
      <ul className="own-tools" aria-label={t('ownTools.title')} hidden={told.length === 0}>
        {told.map(({ code, message, said, path, line, column }) => (
          <li key={`${path}:${line}:${column}:${message}`} id={`own-tool-${path}:${line}`} data-kind={code}>
            {code === 'tools' ? <TriangleAlert size={15} aria-hidden /> : <Info size={15} aria-hidden />}
            <span>
              <Lines text={sentence({ message, said })} />{' '}
              <span className="mono quiet-text">
                {oneLine(path)}
                {line > 0 && `:${line}:${column}`}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
