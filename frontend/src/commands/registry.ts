import type { Weft } from '../state/weft';
import type { Request } from '../transport/api';

// Commands for installing agents. The backend reports the progress of an installation.

export function installAgent(weft: Weft, request: Request<'InstallAgent'>) {
  return weft.transport.call('InstallAgent', request);
}

export function answerInstall(weft: Weft, request: Request<'AnswerInstall'>) {
  return weft.transport.call('AnswerInstall', request);
}

export function cancelInstall(weft: Weft, id: string) {
  return weft.transport.call('CancelInstall', { id });
}

export function dismissInstall(weft: Weft, id: string) {
  return weft.transport.call('DismissInstall', { id });
}

/** Removes an installed agent. With `stop`, even while it is running. */
export function removeInstalled(weft: Weft, id: string, stop: boolean) {
  return weft.transport.call('RemoveInstalledAgent', { id, stop });
}
