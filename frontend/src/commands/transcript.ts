import type { Weft } from '../state/weft';
import type { Request } from '../transport/api';

// What a transcript pulls when it is looked at, and what the user does to its calls.

export function toolDetail(weft: Weft, request: Request<'ToolDetail'>) {
  return weft.transport.call('ToolDetail', request);
}

export function groupItems(weft: Weft, request: Request<'GroupItems'>) {
  return weft.transport.call('GroupItems', request);
}

/** A piece of a text segment, in bytes. It may begin later than asked, at a character. */
export function segmentText(weft: Weft, request: Request<'SegmentText'>) {
  return weft.transport.call('SegmentText', request);
}

/** A page of the hits of a text in a space. */
export function findInSpace(weft: Weft, request: Request<'FindInSpace'>) {
  return weft.transport.call('FindInSpace', request);
}

/** A part of the outline of a space. */
export function outline(weft: Weft, request: Request<'Outline'>) {
  return weft.transport.call('Outline', request);
}

export function retryCall(weft: Weft, request: Request<'RetryCall'>) {
  return weft.transport.call('RetryCall', request);
}

export function killTerminal(weft: Weft, spaceId: string, terminalId: string) {
  return weft.transport.call('KillTerminal', { spaceId, terminalId });
}

export function answerDisplay(weft: Weft, request: Request<'AnswerDisplay'>) {
  return weft.answered.byHeld(`${request.messageId}:${request.toolCallId}`, () =>
    weft.transport.call('AnswerDisplay', request),
  );
}
