import { TriangleAlert, WifiOff } from 'lucide-react';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';

/** Problems of Weft itself: no connection, invalid settings, a recovered database. */
export function Banners() {
  const weft = useWeft();
  const offline = useStore(weft.server, (state) => state.connection === 'offline');
  const all = useStore(weft.server, (state) => state.problems);
  const tools = all.filter(({ code }) => code === 'tools');
  // For several invalid files, and for mere notes, the list is in the settings.
  const problems = all.filter(
    ({ code }) => code !== 'tool_notice' && (code !== 'tools' || tools.length === 1),
  );
  return (
    <div className="banners" role="status">
      {offline && (
        <div className="banner" data-kind="offline">
          <WifiOff size={15} aria-hidden />
          <p>{t('offline')}</p>
        </div>
      )}
      {tools.length > 1 && (
        <div className="banner" data-kind="problem">
          <TriangleAlert size={15} aria-hidden />
          <p>{t('ownTools.several', { n: tools.length })}</p>
          <button type="button" className="text-button" onClick={() => weft.showSettings('tools')}>
            {t('registry.settings')}
          </button>
        </div>
      )}
      {problems.map((problem) => {
        const sentence = translated(problem);
        return (
          <div key={`${problem.code}:${problem.path}:${problem.line}`} className="banner" data-kind="problem">
            <TriangleAlert size={15} aria-hidden />
            <p>
              <Lines text={sentence} />{' '}
              {!sentence.includes(problem.path) && (
                <span className="mono banner-path">
                  {oneLine(problem.path)}
                  {problem.line > 0 && `:${problem.line}:${problem.column}`}
                </span>
              )}
            </p>
            {problem.code === 'tools' && (
              <button
                type="button"
                className="text-button"
                onClick={() => weft.showSettings('tools', `own-tool-${problem.path}:${problem.line}`)}
              >
                {t('registry.settings')}
              </button>
            )}
          </div>
        );
      })}
    </div>
  );
}
