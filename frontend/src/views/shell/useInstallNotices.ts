import { useEffect } from 'react';
import { CommandError } from '../../commands/failure';
import { t } from '../../i18n';
import { say, sayFailed, sayWithAction } from '../../state/notify';
import { useWeft } from '../../state/weft';
import type { Install } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { isActive } from '../registry/words';

/** Tells the end of an installation, and that it has a question, while the user is elsewhere. */
export function useInstallNotices(): void {
  const weft = useWeft();
  // Follows the store and not what is drawn: a short installation begins and ends between two frames.
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
          sayWithAction(t('registry.asks', names(install)), t('registry.showQuestion'), () =>
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
    sayFailed(t('registry.notInstalled', names(install)), new CommandError(code, message, detail, said));
  }
}

function names({ name, version }: Install) {
  return { name: oneLine(name), version: oneLine(version) };
}
