import { useState } from 'react';
import { t } from '../../i18n';
import { type Chosen, languages } from '../../i18n/language';
import { askToNotify, canNotify, notifiedKinds, setKindNotified } from '../../state/desktop';
import { inboxKinds } from '../../state/inbox';
import { useStore } from '../../state/store';
import { writeKept } from '../../state/ui';
import { useWeft } from '../../state/weft';
import { BackgroundSettings } from '../background/BackgroundSettings';
import { Segments } from '../parts/Segments';

/** Appearance settings. Everything applies at once. */
export function AppearanceForm() {
  const weft = useWeft();
  const appearance = useStore(weft.server, (state) => state.appearance);
  return (
    <section className="settings-part" aria-labelledby="settings-appearance">
      <h2 id="settings-appearance">{t('appearance.title')}</h2>
      <Choice
        id="settings-theme"
        label={t('appearance.theme')}
        value={appearance.theme}
        options={[
          ['system', t('appearance.system')],
          ['light', t('appearance.light')],
          ['dark', t('appearance.dark')],
        ]}
        onChoose={(theme) => void weft.saveAppearance({ theme })}
      />
      <Choice
        id="settings-density"
        label={t('appearance.density')}
        value={appearance.density}
        options={[
          ['comfortable', t('appearance.comfortable')],
          ['compact', t('appearance.compact')],
        ]}
        onChoose={(density) => void weft.saveAppearance({ density })}
      />
      <Choice
        id="settings-thoughts"
        label={t('appearance.thoughts')}
        note={t('appearance.thoughtsNote')}
        value={appearance.thoughts}
        options={[
          ['in-place', t('appearance.inPlace')],
          ['top', t('appearance.top')],
          ['hidden', t('appearance.hidden')],
        ]}
        onChoose={(thoughts) => void weft.saveAppearance({ thoughts })}
      />
      <div className="setting" id="settings-language">
        <label className="setting-label" htmlFor="language">
          {t('appearance.language')}
        </label>
        <select
          id="language"
          className="field"
          value={appearance.language}
          onChange={(event) => void weft.saveAppearance({ language: event.target.value as Chosen })}
        >
          <option value="system">{t('appearance.system')}</option>
          {Object.entries(languages).map(([language, name]) => (
            <option key={language} value={language}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <div className="setting" id="settings-text-size">
        <label className="setting-label" htmlFor="text-scale">
          {t('appearance.textScale')}
        </label>
        <div className="scale">
          <input
            id="text-scale"
            type="range"
            min={80}
            max={150}
            step={5}
            value={appearance.textScale}
            onChange={(event) => void weft.saveAppearance({ textScale: Number(event.target.value) })}
          />
          <output className="tabular" htmlFor="text-scale">
            {t('appearance.percent', { n: appearance.textScale })}
          </output>
        </div>
      </div>
      <Notices />
      {weft.inWindow && <BackgroundSettings />}
    </section>
  );
}

/** Desktop notifications. Stored per window; a browser must be asked for permission. */
function Notices() {
  const weft = useWeft();
  const [on, setOn] = useState(() => canNotify(weft));
  const [refused, setRefused] = useState(false);
  const [told, setTold] = useState(notifiedKinds);
  const change = async (next: boolean) => {
    const may = next && (await askToNotify(weft));
    writeKept({ notify: may });
    setRefused(next && !may);
    setOn(may);
  };
  return (
    <div className="setting" id="settings-notifications">
      <span className="setting-label">{t('notify.label')}</span>
      <label className="check">
        <input type="checkbox" checked={on} onChange={(event) => void change(event.target.checked)} />
        {t('notify.setting')}
      </label>
      {on && (
        <fieldset className="setting-kinds" aria-label={t('notify.kinds')}>
          {inboxKinds.map((kind) => (
            <label key={kind} className="check">
              <input
                type="checkbox"
                checked={told.includes(kind)}
                onChange={(event) => {
                  setKindNotified(kind, event.target.checked);
                  setTold(notifiedKinds());
                }}
              />
              {t(`notify.kind.${kind}`)}
            </label>
          ))}
        </fieldset>
      )}
      <p className="setting-note">{refused ? t('notify.refused') : t('notify.note')}</p>
    </div>
  );
}

interface ChoiceProps<V extends string> {
  id: string;
  label: string;
  note?: string;
  value: V;
  options: readonly (readonly [V, string])[];
  onChoose(value: V): void;
}

function Choice<V extends string>({ id, label, note, value, options, onChoose }: ChoiceProps<V>) {
  return (
    <fieldset className="setting" id={id}>
      <legend className="setting-label">{label}</legend>
      <Segments value={value} options={options} onChoose={onChoose} />
      {note !== undefined && <p className="setting-note">{note}</p>}
    </fieldset>
  );
}
