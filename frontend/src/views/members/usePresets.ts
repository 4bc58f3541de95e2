import { t } from '../../i18n';
import { usePresets as useKept } from '../../queries/settings';
import { showUndoable } from '../../state/notify';
import { useWeft } from '../../state/weft';
import type { MemberPreset } from '../../transport/api';
import { oneLine } from '../parts/clean';

/** The saved teams; removing one can be undone. */
export function usePresets() {
  const weft = useWeft();
  const { presets, save, remove: drop } = useKept();
  const remove = (preset: MemberPreset) =>
    weft.attempt(t('failed.removePreset'), async () => {
      await drop(preset);
      showUndoable(
        t('presets.removed', { name: oneLine(preset.name) }),
        () => void weft.attempt(t('failed.savePreset'), () => save(preset)),
      );
    });
  return { presets, save, remove };
}
