import { useEffect, useRef } from 'react';
import { t } from '../../i18n';
import { say, sayFailed } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Install } from '../../transport/api';
import { CommandError } from '../../transport/transport';
import { oneLine } from '../parts/clean';

/** Tells the end of an installation while the person is elsewhere. */
export function useInstallNotices(): void {
  const weft = useWeft();
  const installs = useStore(weft.store, (state) => state.installs);
  const before = useRef<readonly Install[]>([]);
  useEffect(() => {
    const ran = before.current.filter(({ state }) => state === 'running').map(({ id }) => id);
    before.current = installs;
    if (weft.store.get().screen === 'registry') return;
    for (const { id, name, version, state, failure } of installs) {
      if (!ran.includes(id)) continue;
      const names = { name: oneLine(name), version: oneLine(version) };
      if (state === 'done') say(t('registry.done', names));
      if (state === 'failed' && failure !== null) {
        const { code, message, detail } = failure;
        sayFailed(t('registry.notInstalled', names), new CommandError(code, message, detail));
      }
    }
  }, [weft, installs]);
}
