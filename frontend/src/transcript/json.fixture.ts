import type { Item, Message, Segment, Terminal, ToolCall } from './model';
import type { Json } from './types';

// Messages as plain JSON in the shape of Go's transcript.Message, without empty fields.

export type MessageJson = { [key: string]: Json };

export function messageJson(message: Message): MessageJson {
  return compact({
    id: message.id,
    runId: message.runId,
    role: message.role,
    author: compact({ ...message.author }),
    model: message.model,
    createdAt: [message.createdAt],
    endedAt: message.endedAt,
    stopReason: message.stopReason,
    usage: message.usage,
    error:
      message.error &&
      compact({ ...message.error, code: [message.error.code], message: [message.error.message] }),
    segments: [message.segments.map(segmentJson)],
    opaque: message.opaque.length > 0 ? [message.opaque] : undefined,
  });
}

function segmentJson(segment: Segment): MessageJson {
  switch (segment.type) {
    case 'text':
      return compact({
        type: segment.type,
        text: segment.text.toString(),
        author: segment.author,
        parentToolCallId: segment.parentToolCallId,
      });
    case 'tool-group':
      return compact({ type: segment.type, items: [segment.items.map(itemJson)] });
    case 'display':
      return compact({
        type: segment.type,
        display: [segment.display],
        author: segment.author,
        parentToolCallId: segment.parentToolCallId,
      });
  }
}

function itemJson(item: Item): MessageJson {
  if (item.type === 'tool_call') return { type: item.type, call: callJson(item) };
  return compact({
    type: item.type,
    text: item.text.toString(),
    parentToolCallId: item.parentToolCallId,
    startedAt: item.startedAt,
    endedAt: item.endedAt,
  });
}

function callJson(call: ToolCall): MessageJson {
  return compact({
    toolCallId: [call.toolCallId],
    toolName: call.toolName,
    toolNameDerived: call.toolNameDerived,
    title: call.title,
    titleRef: call.titleRef,
    kind: call.kind,
    status: call.status,
    parentToolCallId: call.parentToolCallId,
    startedAt: call.startedAt,
    visibility: call.visibility,
    drawn: call.drawn === undefined ? undefined : [call.drawn],
    input: call.input === undefined ? undefined : [call.input],
    inputRef: call.inputRef,
    inputText: call.inputText?.toString(),
    content: call.content && call.content.length > 0 ? [call.content] : undefined,
    contentRef: call.contentRef,
    locations: call.locations && call.locations.length > 0 ? [call.locations] : undefined,
    locationsRef: call.locationsRef,
    output: call.output === undefined ? undefined : [call.output],
    outputRef: call.outputRef,
    outputText: call.outputText?.toString(),
    terminals: call.terminals.length > 0 ? [call.terminals.map(terminalJson)] : undefined,
    exit: call.exit === undefined ? undefined : [call.exit],
    summary: call.summary,
    resultCount: call.resultCount === undefined ? undefined : [call.resultCount],
    durationMs: call.durationMs === undefined ? undefined : [call.durationMs],
    error: call.error,
    retryable: call.retryable,
    wasRetried: call.wasRetried,
    reported: call.reported,
    permissions: call.permissions.length > 0 ? [call.permissions] : undefined,
  });
}

function terminalJson(terminal: Terminal): MessageJson {
  const { id, command, startedAt, running, exit, durationMs, text, start, size, ref } = terminal;
  return compact({
    terminalId: [id],
    command,
    startedAt,
    running,
    ...exit,
    exitCode: exit.exitCode === undefined ? undefined : [exit.exitCode],
    durationMs: durationMs === undefined ? undefined : [durationMs],
    text: text?.toString(),
    textStart: start,
    size,
    ref,
  });
}

/** Removes empty fields. A value in an array is always kept. */
function compact(fields: Record<string, unknown>): MessageJson {
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (Array.isArray(value)) out[key] = value[0];
    else if (value !== undefined && value !== '' && value !== 0 && value !== false) out[key] = value;
  }
  return out as MessageJson;
}
