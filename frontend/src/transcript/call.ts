import { Drawing } from './drawing';
import { displayKind, type ToolCall } from './model';
import { GrowingText } from './text';
import type {
  By,
  CallFields,
  Permission,
  ToolCallEnd,
  ToolCallError,
  ToolCallStart,
  ToolOutputDelta,
  Visibility,
} from './types';
import { Writing } from './writing';

/** How much of a streamed input or output is kept while it grows. The rest is loaded on demand. */
export interface Limits {
  readonly streamed: number;
}

export const unlimited: Limits = { streamed: Number.POSITIVE_INFINITY };

export function started(event: ToolCallStart): ToolCall {
  return patched(
    {
      type: 'tool_call',
      toolCallId: event.toolCallId,
      toolName: '',
      title: '',
      kind: '',
      status: event.status,
      parentToolCallId: '',
      startedAt: event.at,
      whole: true,
      grown: 0,
      summary: '',
      error: '',
      retryable: false,
      wasRetried: false,
      permissions: [],
      terminals: [],
      outputStart: 0,
    },
    event,
  );
}

/** Returns the call with the given fields replaced. */
export function patched(call: ToolCall, fields: CallFields): ToolCall {
  const next: { -readonly [K in keyof ToolCall]: ToolCall[K] } = { ...call };
  if (fields.toolName !== undefined) {
    next.toolName = fields.toolName;
    next.toolNameDerived = fields.toolNameDerived === true ? true : undefined;
  }
  if (fields.title !== undefined) {
    next.title = fields.title;
    next.titleRef = fields.titleRef;
  }
  if (fields.kind !== undefined) next.kind = fields.kind;
  if (fields.status !== undefined) next.status = fields.status;
  if (fields.parentToolCallId !== undefined) next.parentToolCallId = fields.parentToolCallId;
  if (fields.summary !== undefined) {
    next.summary = fields.summary;
    next.resultCount = fields.resultCount ?? undefined;
  }
  if (fields.error !== undefined) next.error = fields.error;
  if (fields.startedAt !== undefined) {
    next.startedAt = fields.startedAt;
    next.durationMs = undefined;
    next.reported = undefined;
    next.retryable = false;
  }
  if (fields.visibility !== undefined) next.visibility = callVisibility(fields.visibility);
  if (fields.drawn !== undefined) next.drawn = fields.drawn;
  if (fields.exit !== undefined) next.exit = fields.exit;
  // An inline value replaces a reference, and the reverse.
  if (fields.input !== undefined || fields.inputRef !== undefined) {
    next.input = fields.input;
    next.inputRef = fields.inputRef;
    next.inputText = undefined;
    next.writing = undefined;
    next.drawing = undefined;
  }
  if (fields.output !== undefined || fields.outputRef !== undefined) {
    next.output = fields.output;
    next.outputRef = fields.outputRef;
  }
  if (fields.content !== undefined || fields.contentRef !== undefined) {
    next.content = fields.content;
    next.contentRef = fields.contentRef;
  }
  if (fields.locations !== undefined || fields.locationsRef !== undefined) {
    next.locations = fields.locations;
    next.locationsRef = fields.locationsRef;
  }
  if (next.drawing === undefined) next.drawing = drawingOf(next);
  return next;
}

/** The start time of a call that was only announced or waited for the user is when it starts to run. */
export function runs(call: ToolCall, next: ToolCall['status'] | undefined, at: number): ToolCall {
  const waited = call.status === 'pending' || call.status === 'waiting';
  return next === 'running' && waited ? { ...call, startedAt: at } : call;
}

/** Converts the visibility to that of a call. */
export function callVisibility(visibility: Visibility | undefined): ToolCall['visibility'] {
  return visibility === 'full' ? undefined : visibility;
}

/** The partial value of a display whose input is being written, unless its beginning is no longer in memory. */
export function drawingOf({ kind, inputText }: ToolCall): Drawing | undefined {
  if (kind !== displayKind || inputText === undefined || inputText.cut) return undefined;
  return new Drawing(inputText.toString());
}

export function inputGrown(call: ToolCall, delta: string, limits: Limits): ToolCall {
  const inputText = call.inputText ?? new GrowingText('', limits.streamed);
  const { drawing } = call;
  inputText.append(delta);
  drawing?.append(delta);
  // A call whose beginning isn't in memory can't be parsed.
  const writing = call.writing ?? (call.inputText === undefined ? new Writing() : undefined);
  writing?.append(delta);
  return {
    ...call,
    inputText,
    writing,
    drawing: drawing ?? drawingOf({ ...call, inputText }),
    grown: call.grown + 1,
  };
}

export function outputGrown(call: ToolCall, event: ToolOutputDelta, limits: Limits): ToolCall {
  const outputText = call.outputText ?? new GrowingText('', limits.streamed);
  const outputStart = call.outputText === undefined ? (event.offset ?? 0) : call.outputStart;
  outputText.append(event.delta);
  return { ...call, outputText, outputStart, grown: call.grown + 1 };
}

export function ended(call: ToolCall, event: ToolCallEnd): ToolCall {
  return {
    ...withOutput(call, event),
    status: event.status,
    summary: event.summary,
    resultCount: event.resultCount ?? undefined,
    durationMs: event.durationMs,
    error: '',
    retryable: false,
    wasRetried: event.wasRetried ?? false,
    reported: undefined,
  };
}

export function failed(call: ToolCall, event: ToolCallError): ToolCall {
  return {
    ...withOutput(call, event),
    status: event.status ?? 'failed',
    summary: event.summary ?? '',
    resultCount: undefined,
    error: event.status === undefined ? event.error : '',
    retryable: event.retryable,
    wasRetried: event.wasRetried,
    reported: event.reported,
    durationMs: event.durationMs,
  };
}

function withOutput(call: ToolCall, event: ToolCallEnd | ToolCallError): ToolCall {
  if (event.output === undefined && event.outputRef === undefined) return call;
  return { ...call, output: event.output, outputRef: event.outputRef };
}

export function asked(
  call: ToolCall,
  { requestId, options, reading, readingRef }: Permission,
  at: number,
): ToolCall {
  const request: Permission = { requestId, options, requestedAt: at };
  if (reading !== undefined) request.reading = reading;
  if (readingRef !== undefined) request.readingRef = readingRef;
  return { ...call, status: 'waiting', permissions: [...call.permissions, request] };
}

export function resolved(
  call: ToolCall,
  answer: { requestId: string; outcome: string; optionId?: string; status: ToolCall['status']; by?: By },
  at: number,
): ToolCall {
  const permissions = call.permissions.map((request) => {
    if (request.requestId !== answer.requestId) return request;
    const next: Permission = { ...request, outcome: answer.outcome, resolvedAt: at };
    delete next.optionId;
    delete next.by;
    if (answer.optionId !== undefined) next.optionId = answer.optionId;
    if (answer.by !== undefined) next.by = answer.by;
    return next;
  });
  return { ...runs(call, answer.status, at), status: answer.status, permissions };
}
