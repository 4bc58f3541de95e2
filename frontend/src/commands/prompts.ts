import { t } from '../i18n';
import type { Weft } from '../state/weft';
import type { Request } from '../transport/api';

// What the user writes to agents, and what they choose about the next turn.

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

/** Puts a queued prompt before another one, or behind all others where that is ''. */
export function moveQueued(weft: Weft, prompt: Queued, before: string) {
  return weft.transport.call('MoveQueued', { ...prompt, ...(before !== '' && { before }) });
}

/** Sends a queued prompt now, before the others. */
export function sendQueued(weft: Weft, prompt: Queued, text: string) {
  return weft.transport.call('SendQueued', { ...prompt, text });
}

export function setOption(weft: Weft, request: Request<'SetOption'>) {
  return weft.transport.call('SetOption', request);
}

/** The files of a space that fit a query; with `exact` the one that it names. */
export function findFiles(weft: Weft, request: Request<'FindFiles'>) {
  return weft.transport.call('FindFiles', request);
}

export function retryRun(weft: Weft, spaceId: string, memberId: string) {
  return weft.attempt(t('failed.retry'), () => weft.transport.call('RetryRun', { spaceId, memberId }));
}

/** Starts the process of a member's agent again; of the default member without an id. */
export function restartAgent(weft: Weft, spaceId: string, memberId = '') {
  return weft.attempt(t('failed.restart'), () => weft.transport.call('RestartAgent', { spaceId, memberId }));
}
