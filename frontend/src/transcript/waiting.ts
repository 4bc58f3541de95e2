import { type Conversation, displayKind, type Message, type ToolCall } from './model';
import type { Permission } from './types';

export interface WaitingRequest {
  requestId: string;
  permission: Permission;
  call: ToolCall;
  messageId: string;
  segment: number;
  item: number;
}

/**
 * The permission requests of a call. The request of a display that waits for an answer is stored as one, too, but left
 * out here.
 */
export function permissionsOf({ kind, permissions }: ToolCall): readonly Permission[] {
  return kind === displayKind ? permissions.filter((request) => !isForAnswer(request)) : permissions;
}

/**
 * Recognizes the request of a waiting display by its options, which no agent uses: AskDisplay of backend/conversation/transcript.
 */
function isForAnswer({ options }: Permission): boolean {
  return (
    options.length === 2 &&
    options[0]?.optionId === 'display:answer' &&
    options[1]?.optionId === 'display:cancel'
  );
}

/** The pending request of a call. */
export function openRequest(call: ToolCall): Permission | undefined {
  return permissionsOf(call).find((request) => (request.outcome ?? '') === '');
}

/** Reports whether a call is a display that the user should answer. */
export function isAskedDisplay(call: ToolCall): boolean {
  return call.kind === displayKind && call.status === 'waiting' && openRequest(call) === undefined;
}

/** All messages that are being written, and the last few others. */
function recent({ messages }: Conversation): Message[] {
  return messages.filter(({ endedAt }, i) => endedAt === 0 || i >= messages.length - 4);
}

/** The displays that wait for the user, oldest first. They keep waiting after the message has ended. */
export function waitingDisplays(conversation: Conversation): ToolCall[] {
  return recent(conversation)
    .flatMap(({ segments }) => segments)
    .flatMap((segment) =>
      segment.type === 'tool-group' && (segment.statusCounts['waiting'] ?? 0) > 0
        ? segment.items.filter((item) => item.type === 'tool_call' && isAskedDisplay(item))
        : [],
    ) as ToolCall[];
}

/** The pending requests of the current turn, oldest first. */
export function waitingRequests(conversation: Conversation): WaitingRequest[] {
  const out: WaitingRequest[] = [];
  // Only a message that is being written can have a pending request.
  for (const message of recent(conversation)) {
    if (message.endedAt > 0) continue;
    for (const [s, segment] of message.segments.entries()) {
      if (segment.type !== 'tool-group' || (segment.statusCounts['waiting'] ?? 0) === 0) continue;
      for (const [i, call] of segment.items.entries()) {
        if (call.type !== 'tool_call') continue;
        for (const permission of permissionsOf(call)) {
          if ((permission.outcome ?? '') !== '') continue;
          out.push({
            requestId: permission.requestId,
            permission,
            call,
            messageId: message.id,
            segment: message.firstSegment + s,
            item: segment.firstItem + i,
          });
        }
      }
    }
  }
  return out;
}

export interface Waiting {
  call: ToolCall;
  /** The permission request; omitted for a display that waits for an answer. */
  permission?: Permission;
  messageId: string;
  segment: number;
  item: number;
}

/** Finds what waits under an id; null if it isn't in memory. A display that outlived its run has the id of its call. */
export function waitingWith(conversation: Conversation, id: string): Waiting | null {
  for (const message of conversation.messages.toReversed()) {
    for (const [s, segment] of message.segments.entries()) {
      if (segment.type !== 'tool-group' || (segment.statusCounts['waiting'] ?? 0) === 0) continue;
      for (const [i, call] of segment.items.entries()) {
        if (call.type !== 'tool_call') continue;
        const place = {
          call,
          messageId: message.id,
          segment: message.firstSegment + s,
          item: segment.firstItem + i,
        };
        const permission = permissionsOf(call).find(
          ({ requestId, outcome = '' }) => requestId === id && outcome === '',
        );
        if (permission !== undefined) return { ...place, permission };
        const asked = isAskedDisplay(call);
        if (asked && (call.toolCallId === id || call.permissions.some(({ requestId }) => requestId === id)))
          return place;
      }
    }
  }
  return null;
}

/** Reports whether the current turn waits for the user: for a permission, the answer to a question, or a display. */
export function isAsked(conversation: Conversation): boolean {
  return conversation.messages.some(
    ({ endedAt, segments }) =>
      endedAt === 0 &&
      segments.some((segment) => segment.type === 'tool-group' && (segment.statusCounts['waiting'] ?? 0) > 0),
  );
}
