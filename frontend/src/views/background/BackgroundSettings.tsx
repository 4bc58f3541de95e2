import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import { useBackground } from '../../queries/background';
import { FailedRead } from '../parts/FailedRead';
import { Lines } from '../parts/Lines';
import { Segments } from '../parts/Segments';

/** Settings for what Weft does while its window is closed. */
export function BackgroundSettings() {
  const { background, error, refetch, save } = useBackground();
  if (error !== null)
    return <FailedRead error={error} className="field-error" onAgain={() => void refetch()} />;
  if (background === null) return null;
  return (
    <>
      <fieldset className="setting" id="settings-when-closed">
        <legend className="setting-label">{t('background.whenClosed')}</legend>
        <Segments
          value={background.whenClosed}
          options={[
            ['quit', t('background.quit')],
            ['background', t('background.keep')],
          ]}
          onChoose={(whenClosed) => void save({ whenClosed })}
        />
        <p className="setting-note">{t('background.whenClosedNote')}</p>
      </fieldset>
      <div className="setting" id="settings-at-login">
        <span className="setting-label">{t('background.start')}</span>
        <label className="check">
          <input
            type="checkbox"
            checked={background.atLogin}
            onChange={(event) => void save({ atLogin: event.target.checked })}
          />
          {t('background.atLogin')}
        </label>
        {background.loginError === '' ? (
          <p className="setting-note">{t('background.atLoginNote')}</p>
        ) : (
          <p className="field-error" role="alert">
            <Lines text={translated(background.loginError)} />
          </p>
        )}
      </div>
    </>
  );
}
