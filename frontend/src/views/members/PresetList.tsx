import { X } from 'lucide-react';
import { useId } from 'react';
import { t } from '../../i18n';
import type { MemberPreset } from '../../transport/api';
import { oneLine } from '../parts/clean';

interface PresetListProps {
  presets: readonly MemberPreset[];
  /** Text beside the name of a preset. */
  label(preset: MemberPreset): string;
  onPick(preset: MemberPreset): void;
  onRemove(preset: MemberPreset): void;
}

/** The saved teams; renders nothing if there are none. */
export function PresetList({ presets, label, onPick, onRemove }: PresetListProps) {
  const title = useId();
  if (presets.length === 0) return null;
  return (
    <div className="preset-box">
      <span className="preset-title" id={title}>
        {t('presets.label')}
      </span>
      <ul className="presets" aria-labelledby={title}>
        {presets.map((preset) => {
          const name = oneLine(preset.name);
          return (
            <li key={preset.name} className="preset">
              <button type="button" className="preset-pick" onClick={() => onPick(preset)}>
                <span dir="auto" className="preset-name truncate">
                  {name}
                </span>
                <span className="preset-who truncate">{label(preset)}</span>
              </button>
              <button
                type="button"
                className="icon-button quiet"
                aria-label={t('presets.remove', { name })}
                title={t('presets.remove', { name })}
                onClick={() => onRemove(preset)}
              >
                <X size={13} aria-hidden />
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
