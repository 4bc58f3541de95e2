import { useEffect } from 'react';
import { CommandError } from '../../commands/failure';
import { t } from '../../i18n';
import { say, showFailure, showWithAction } from '../../state/notify';
import { useWeft } from '../../state/weft';
import type { Install } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { isActive } from '../registry/words';

/** Notifies the user of an installation's end or question while they are elsewhere. */
export function useInstallNotices(): void {
  const weft = useWeft();
  // Observes the store instead of rendered state: a short installation starts and ends between two frames.
  useEffect(() => {
    let before = weft.server.get().installs;
    return weft.server.subscribe(() => {
      const { installs } = weft.server.get();
      if (installs === before) return;
      const ran = before.filter(isActive).map(({ id }) => id);
      const asked = before.filter(({ state }) => state === 'asking').map(({ id }) => id);
      before = installs;
      if (weft.shown.get().screen === 'registry') return;
      for (const install of installs) {
        if (install.state === 'asking' && !asked.includes(install.id)) {
          showWithAction(t('registry.asks', names(install)), t('registry.showQuestion'), () =>
            weft.show('registry'),
          );
        }
        if (ran.includes(install.id)) sayEnd(install);
      }
    });
  }, [weft]);
}

function sayEnd(install: Install): void {
  const { state, failure } = install;
  if (state === 'done') say(t('registry.done', names(install)));
  if (state === 'failed' && failure !== null) {
    const { code, message, detail, said } = failure;
    showFailure(t('registry.notInstalled', names(install)), new CommandError(code, message, detail, said));
  }
}

function names({ name, version }: Install) {
  return { name: oneLine(name), version: oneLine(version) };
}
