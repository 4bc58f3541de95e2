import type { Weft } from '../state/weft';
import type { Request } from '../transport/api';

// Commands that load parts of a transcript on demand, and actions on its tool calls.

export function toolDetail(weft: Weft, request: Request<'ToolDetail'>) {
  return weft.transport.call('ToolDetail', request);
}

export function groupItems(weft: Weft, request: Request<'GroupItems'>) {
  return weft.transport.call('GroupItems', request);
}

/** Reads a piece of a text segment, in bytes. It may start later than requested, at a character boundary. */
export function segmentText(weft: Weft, request: Request<'SegmentText'>) {
  return weft.transport.call('SegmentText', request);
}

/** Reads a page of the matches in a space. */
export function findInSpace(weft: Weft, request: Request<'FindInSpace'>) {
  return weft.transport.call('FindInSpace', request);
}

/** Reads a part of the outline of a space. */
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
  return weft.answered.sendHeld(`${request.messageId}:${request.toolCallId}`, () =>
    weft.transport.call('AnswerDisplay', request),
  );
}
