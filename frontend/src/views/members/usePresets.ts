import { useCallback, useEffect, useState } from 'react';
import { t } from '../../i18n';
import { sayUndoable } from '../../state/notify';
import { useWeft } from '../../state/weft';
import type { MemberPreset } from '../../transport/api';
import { oneLine } from '../parts/clean';

/** The members that the person has kept, to be put into spaces together. */
export function usePresets() {
  const weft = useWeft();
  const [presets, setPresets] = useState<readonly MemberPreset[]>([]);
  useEffect(() => {
    let wanted = true;
    weft.transport.call('MemberPresets').then(
      (list) => wanted && setPresets(list ?? []),
      () => {
        // Then none is offered; what is saved is told when it fails.
      },
    );
    return () => {
      wanted = false;
    };
  }, [weft]);
  const save = useCallback(
    async (preset: MemberPreset) => {
      setPresets((await weft.transport.call('SaveMemberPreset', preset)) ?? []);
    },
    [weft],
  );
  const remove = (preset: MemberPreset) =>
    weft.attempt(t('failed.removePreset'), async () => {
      setPresets((await weft.transport.call('RemoveMemberPreset', { name: preset.name })) ?? []);
      sayUndoable(
        t('presets.removed', { name: oneLine(preset.name) }),
        () => void weft.attempt(t('failed.savePreset'), () => save(preset)),
      );
    });
  return { presets, save, remove };
}
