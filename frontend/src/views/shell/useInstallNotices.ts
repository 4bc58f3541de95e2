import { useEffect, useRef } from 'react';
import { t } from '../../i18n';
import { say, sayFailed, sayWithAction } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Install } from '../../transport/api';
import { CommandError } from '../../transport/transport';
import { oneLine } from '../parts/clean';
import { isActive } from '../registry/words';

/** Tells the end of an installation, and that it has a question, while the user is elsewhere. */
export function useInstallNotices(): void {
  const weft = useWeft();
  const installs = useStore(weft.store, (state) => state.installs);
  const before = useRef<readonly Install[]>([]);
  useEffect(() => {
    const ran = before.current.filter(isActive).map(({ id }) => id);
    const asked = before.current.filter(({ state }) => state === 'asking').map(({ id }) => id);
    before.current = installs;
    if (weft.store.get().screen === 'registry') return;
    for (const { id, name, version, state, failure } of installs) {
      const names = { name: oneLine(name), version: oneLine(version) };
      if (state === 'asking' && !asked.includes(id)) {
        sayWithAction(t('registry.asks', names), t('registry.showQuestion'), () => weft.show('registry'));
      }
      if (!ran.includes(id)) continue;
      if (state === 'done') say(t('registry.done', names));
      if (state === 'failed' && failure !== null) {
        const { code, message, detail } = failure;
        sayFailed(t('registry.notInstalled', names), new CommandError(code, message, detail));
      }
    }
  }, [weft, installs]);
}
