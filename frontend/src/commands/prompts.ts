import { t } from '../i18n';
import type { Weft } from '../state/weft';
import type { Request } from '../transport/api';

// Commands for prompts and for the options of the next turn.

export function sendPrompt(weft: Weft, request: Request<'SendPrompt'>) {
  return weft.transport.call('SendPrompt', request);
}

interface Queued {
  spaceId: string;
  promptId: string;
}

export function editQueued(weft: Weft, prompt: Queued, text: string) {
  return weft.transport.call('EditQueued', { ...prompt, text });
}

export function removeQueued(weft: Weft, prompt: Queued) {
  return weft.transport.call('RemoveQueued', { ...prompt, text: '' });
}

/** Moves a queued prompt before another one, or to the end if that is ''. */
export function moveQueued(weft: Weft, prompt: Queued, before: string) {
  return weft.transport.call('MoveQueued', { ...prompt, ...(before !== '' && { before }) });
}

/** Sends a queued prompt now, ahead of the others. */
export function sendQueued(weft: Weft, prompt: Queued, text: string) {
  return weft.transport.call('SendQueued', { ...prompt, text });
}

export function setOption(weft: Weft, request: Request<'SetOption'>) {
  return weft.transport.call('SetOption', request);
}

/** Finds the files of a space that match a query. With `exact`, only the file with that name. */
export function findFiles(weft: Weft, request: Request<'FindFiles'>) {
  return weft.transport.call('FindFiles', request);
}

export function retryRun(weft: Weft, spaceId: string, memberId: string) {
  return weft.attempt(t('failed.retry'), () => weft.transport.call('RetryRun', { spaceId, memberId }));
}

/** Restarts the agent process of a member, or of the default member if no id is given. */
export function restartAgent(weft: Weft, spaceId: string, memberId = '') {
  return weft.attempt(t('failed.restart'), () => weft.transport.call('RestartAgent', { spaceId, memberId }));
}
