import * as toolCall from './call';
import { type Limits, unlimited } from './call';
import { countCall, recount } from './counts';
import { Draft, type DraftGroup, type DraftMessage } from './draft';
import { type Conversation, type Item, segmentEnd, stateKey, type ToolCall } from './model';
import { runAsked, runAsks, startRun } from './runs';
import { terminalEnded, terminalGrown, terminalStarted } from './terminal';
import { GrowingText } from './text';
import type { Event, Failure, MessageStart, ReasoningDelta, StateEvent, TextDelta } from './types';

// Folds events into messages. Mirrors Conversation.Apply of backend/conversation/transcript. The work per event does not depend on
// the length of the message or space; each batch copies every list that it changes once.

/** Reports whether the messages in memory already include an event. */
export type Known = (event: Event) => boolean;

const nothingKnown: Known = () => false;

/** Applies a batch of events to a conversation. Objects that did not change keep their identity. */
export function applyEvents(
  conversation: Conversation,
  events: readonly Event[],
  limits: Limits = unlimited,
  known: Known = nothingKnown,
): Conversation {
  const draft = new Draft(conversation);
  for (const event of events) {
    if (!known(event)) apply(draft, event, limits);
    // Runs are not part of the messages.
    if (event.type === 'permission_resolved') runAsked(draft, event);
  }
  return draft.result();
}

function apply(draft: Draft, event: Event, limits: Limits): void {
  switch (event.type) {
    case 'message_start':
      startMessage(draft, event);
      return;
    case 'text_delta':
      appendText(draft, event);
      return;
    case 'text_end':
      return; // its text is already complete
    case 'reasoning_delta':
      appendThought(draft, event);
      return;
    case 'display': {
      const message = draft.message(event.messageId);
      if (message === undefined || !opens(draft, message, event.segment)) return;
      message.segments.push({
        type: 'display',
        display: event.display,
        author: event.author ?? '',
        parentToolCallId: event.parentToolCallId ?? '',
      });
      return;
    }
    case 'tool_call_start': {
      const group = groupFor(draft, event.messageId, event.segment);
      if (group !== undefined) addItem(group, event.item, toolCall.started(event));
      return;
    }
    case 'tool_input_delta':
      changeCall(draft, event, (call) => toolCall.inputGrown(call, event.delta, limits));
      return;
    case 'tool_output_delta':
      changeCall(draft, event, (call) =>
        event.terminalId === undefined
          ? toolCall.outputGrown(call, event, limits)
          : terminalGrown(call, event, limits),
      );
      return;
    case 'terminal_start':
      changeCall(draft, event, (call) => terminalStarted(call, event));
      return;
    case 'terminal_end':
      changeCall(draft, event, (call) => terminalEnded(call, event));
      return;
    case 'tool_call_update':
      changeCall(draft, event, (call) =>
        toolCall.patched(toolCall.runs(call, event.status, event.at), event),
      );
      return;
    case 'tool_call_end':
      changeCall(draft, event, (call) => toolCall.ended(call, event));
      return;
    case 'tool_call_error':
      changeCall(draft, event, (call) => toolCall.failed(call, event));
      return;
    case 'permission_request':
      changeCall(draft, event, (call) => toolCall.asked(call, event, event.at));
      return;
    case 'permission_resolved':
      changeCall(draft, event, (call) => toolCall.resolved(call, event, event.at));
      return;
    case 'opaque': {
      const message = draft.message(event.messageId);
      if (message === undefined) return;
      const { kind, at, raw, ref } = event;
      message.opaque = [
        ...message.opaque,
        { kind, at, ...(raw === undefined ? {} : { raw }), ...(ref === undefined ? {} : { ref }) },
      ];
      return;
    }
    case 'error':
      fail(draft, event);
      return;
    case 'message_end': {
      const message = draft.message(event.messageId);
      if (message === undefined) return;
      message.endedAt = event.at;
      message.stopReason = event.stopReason ?? '';
      if (event.usage !== undefined) message.usage = event.usage;
      if (event.model !== undefined) message.model = event.model;
      return;
    }
    case 'run_created':
      startRun(draft, event);
      return;
    case 'run_waiting_tool':
      runAsks(draft, event);
      return;
    case 'run_completed':
      draft.set(
        'runs',
        draft.now.runs.filter(({ id }) => id !== event.runId),
      );
      return;
    default:
      setState(draft, event);
      return;
  }
}

function startMessage(draft: Draft, event: MessageStart): void {
  if (draft.now.hasAfter) return; // the end isn't in memory; it is loaded when it is shown
  if (draft.message(event.messageId) !== undefined) return;
  const last = draft.now.messages.at(-1);
  draft.push({
    id: event.messageId,
    ord: last === undefined ? 1 : last.ord + 1,
    runId: event.runId ?? '',
    role: event.role,
    author: event.author,
    model: event.model ?? '',
    createdAt: event.at,
    endedAt: 0,
    stopReason: '',
    segments: [],
    firstSegment: 0,
    opaque: [],
  });
}

function appendText(draft: Draft, event: TextDelta): void {
  const message = draft.message(event.messageId);
  if (message === undefined) return;
  const at = event.segment - message.firstSegment;
  const found = message.segments[at];
  if (found?.type === 'text') {
    const opens = found.text.length === 0;
    found.text.append(event.content);
    message.segments[at] = {
      ...found,
      length: found.text.length,
      author: opens ? (event.author ?? '') : found.author,
      parentToolCallId: opens ? (event.parentToolCallId ?? '') : found.parentToolCallId,
    };
  } else if (opens(draft, message, event.segment)) {
    const text = new GrowingText(event.content);
    message.segments.push({
      type: 'text',
      author: event.author ?? '',
      parentToolCallId: event.parentToolCallId ?? '',
      text,
      length: text.length,
      textStart: 0,
    });
  }
}

function appendThought(draft: Draft, event: ReasoningDelta): void {
  const group = groupFor(draft, event.messageId, event.segment);
  if (group === undefined) return;
  const at = event.item - group.firstItem;
  const found = group.items[at];
  if (found?.type === 'thought') {
    found.text.append(event.content);
    group.items[at] = { ...found, length: found.text.length, endedAt: event.at };
  } else {
    const text = new GrowingText(event.content);
    addItem(group, event.item, {
      type: 'thought',
      text,
      length: text.length,
      parentToolCallId: event.parentToolCallId ?? '',
      startedAt: event.at,
      endedAt: event.at,
    });
  }
}

function groupFor(draft: Draft, messageId: string, segment: number): DraftGroup | undefined {
  const message = draft.message(messageId);
  if (message === undefined) return undefined;
  if (opens(draft, message, segment)) return draft.openGroup(message);
  return draft.group(message, segment);
}

/**
 * Reports whether a segment is the next one of a message. If the range ends before it, what follows isn't in memory.
 */
function opens(draft: Draft, message: DraftMessage, segment: number): boolean {
  const { messages, hasAfter } = draft.now;
  return segment === segmentEnd(message) && !(hasAfter && messages.at(-1) === message);
}

function addItem(group: DraftGroup, index: number, item: Item): void {
  if (index !== group.firstItem + group.items.length) return;
  group.items.push(item);
  if (item.type === 'tool_call') countCall(group, item, 1);
}

interface Place {
  messageId: string;
  segment: number;
  item: number;
}

function changeCall(draft: Draft, place: Place, change: (call: ToolCall) => ToolCall): void {
  const message = draft.message(place.messageId);
  const group = message && draft.group(message, place.segment);
  if (group === undefined) return;
  const at = place.item - group.firstItem;
  const before = group.items[at];
  if (before?.type === 'tool_call') {
    const after = change(before);
    group.items[at] = after;
    if (
      before.kind === after.kind &&
      before.status === after.status &&
      before.visibility === after.visibility
    )
      return;
    countCall(group, before, -1);
    countCall(group, after, 1);
  } else if (at < 0) {
    changeUnheld(group, change);
  }
}

/** Updates the counts for a call that isn't in memory, as far as possible. */
function changeUnheld(group: DraftGroup, change: (call: ToolCall) => ToolCall): void {
  const open = (['running', 'pending', 'waiting'] as const).find((s) => (group.statusCounts[s] ?? 0) > 0);
  if (open === undefined) return;
  const stand = toolCall.started({ status: open, toolCallId: '', at: 0 } as never);
  recount(group.statusCounts, open, change(stand).status);
}

function fail(draft: Draft, event: Event & { type: 'error' }): void {
  const { code, message: sentence, detail, retryable, said, retryAt } = event;
  const failure: Failure = { code, message: sentence };
  if (detail !== undefined) failure.detail = detail;
  if (retryable !== undefined) failure.retryable = retryable;
  if (said !== undefined) failure.said = said;
  if (retryAt !== undefined) failure.retryAt = retryAt;
  const message: DraftMessage | undefined =
    event.messageId === undefined ? undefined : draft.message(event.messageId);
  if (message !== undefined) message.error = failure;
  else draft.set('error', failure);
}

function setState(draft: Draft, event: StateEvent): void {
  // A value that must be loaded first keeps its old state until then.
  if (event.ref !== undefined) return;
  const key = stateKey(event.type, event.memberId);
  draft.set('state', { ...draft.now.state, [key]: event.value ?? null });
}
