import { callVisibility } from '../transcript/call';
import { Drawing } from '../transcript/drawing';
import type { Conversation, Item, Message, Run, Segment, Terminal, ToolCall } from '../transcript/model';
import { displayKind, isOpen, mainMember } from '../transcript/model';
import { waitIntervalsOf } from '../transcript/runs';
import { byteLength } from '../transcript/terminal';
import { GrowingText } from '../transcript/text';
import { Writing } from '../transcript/writing';
import type {
  CallView,
  ItemView,
  MessageView,
  Page,
  RunView,
  SegmentView,
  Snapshot,
  TerminalView,
  ToolDetail,
} from '../transport/api';

// Converts a snapshot of the backend to the transcript's model.

export function conversationOf(snapshot: Snapshot): Conversation {
  const messages = messagesOf(snapshot.page);
  return {
    messages,
    state: snapshot.state ?? {},
    runs: snapshot.runs.map((run) => runOf(run, messages)),
    error: null,
    hasBefore: snapshot.page.hasBefore,
    hasAfter: snapshot.page.hasAfter,
  };
}

export function messagesOf(page: Page): Message[] {
  return (page.messages ?? []).map(messageOf);
}

function runOf(
  { id, spaceId, agentId, memberId, startedAt, stopping }: RunView,
  messages: readonly Message[],
): Run {
  const requests = messages
    .filter(({ runId }) => runId === id)
    .flatMap(({ segments }) => segments)
    .flatMap((segment) => (segment.type === 'tool-group' ? segment.items : []))
    .flatMap((item) => (item.type === 'tool_call' ? item.permissions : []));
  const waitsFor = requests.flatMap(({ requestId, outcome = '' }) => (outcome === '' ? [requestId] : []));
  return {
    id,
    agentId,
    memberId: memberId || mainMember,
    startedAt,
    stopping,
    home: spaceId,
    waitsFor,
    waitIntervals: waitIntervalsOf(requests),
  };
}

function messageOf(view: MessageView): Message {
  return {
    id: view.id,
    ord: view.ord,
    runId: view.runId,
    role: view.role,
    author: view.author,
    model: view.model,
    createdAt: view.createdAt,
    endedAt: view.endedAt,
    stopReason: view.stopReason,
    usage: view.usage ?? undefined,
    error: view.error ?? undefined,
    segments: (view.segments ?? []).map(segmentOf),
    firstSegment: view.firstSegment,
    opaque: view.opaque ?? [],
  };
}

function segmentOf(view: SegmentView): Segment {
  switch (view.type) {
    case 'text': {
      const text = new GrowingText(view.text);
      return {
        type: 'text',
        author: view.author,
        parentToolCallId: view.parentToolCallId,
        text,
        length: text.length,
        textStart: view.textStart,
      };
    }
    case 'tool-group':
      return {
        type: 'tool-group',
        items: itemsOf(view.items),
        firstItem: view.firstItem,
        kindCounts: view.kindCounts ?? {},
        statusCounts: view.statusCounts ?? {},
      };
    case 'display':
      return {
        type: 'display',
        display: view.display ?? { type: 'unknown' },
        author: view.author,
        parentToolCallId: view.parentToolCallId,
      };
  }
}

export function itemsOf(items: ItemView[] | null): Item[] {
  return (items ?? []).flatMap((item): Item[] => {
    if (item.type === 'tool_call')
      return item.call === undefined ? [] : [{ ...callOf(item.call), place: item.place }];
    const text = new GrowingText(item.text ?? '');
    return [
      {
        type: 'thought',
        text,
        length: text.length,
        parentToolCallId: item.parentToolCallId ?? '',
        startedAt: item.startedAt ?? 0,
        endedAt: item.endedAt ?? 0,
      },
    ];
  });
}

export function callOf(view: ToolDetail, whole = false): ToolCall {
  const grown = (text: string | undefined) =>
    text === undefined || text === '' ? undefined : new GrowingText(text);
  return {
    type: 'tool_call',
    toolCallId: view.toolCallId,
    toolName: view.toolName ?? '',
    toolNameDerived: view.toolNameDerived === true ? true : undefined,
    title: view.title ?? '',
    titleRef: view.titleRef,
    kind: view.kind ?? '',
    status: view.status,
    parentToolCallId: view.parentToolCallId ?? '',
    startedAt: view.startedAt ?? 0,
    visibility: callVisibility(view.visibility),
    drawn: view.drawn,
    input: view.input,
    inputRef: view.inputRef,
    inputText: grown(view.inputText),
    writing: writingOf(view),
    drawing: drawingFrom(view),
    content: view.content,
    contentRef: view.contentRef,
    locations: view.locations,
    locationsRef: view.locationsRef,
    output: view.output,
    outputRef: view.outputRef,
    outputText: grown(view.outputText),
    outputStart: view.outputTextStart ?? 0,
    terminals: (view.terminals ?? []).map((terminal) => terminalOf(terminal, whole)),
    exit: view.exit,
    whole,
    grown: 0,
    summary: view.summary ?? '',
    resultCount: view.resultCount ?? undefined,
    durationMs: view.durationMs ?? undefined,
    error: view.error ?? '',
    retryable: view.retryable ?? false,
    wasRetried: view.wasRetried ?? false,
    reported: view.reported,
    permissions: view.permissions ?? [],
  };
}

/** The input so far of an open call, which its events continue. */
function writingOf({ inputText, status }: CallView): Writing | undefined {
  if (inputText === undefined || inputText === '' || !isOpen(status)) return undefined;
  const writing = new Writing();
  writing.append(inputText);
  return writing;
}

function drawingFrom({ kind, inputText, status }: CallView): Drawing | undefined {
  if (kind !== displayKind || inputText === undefined || inputText === '' || !isOpen(status))
    return undefined;
  return new Drawing(inputText);
}

function terminalOf(view: TerminalView, whole: boolean): Terminal {
  const { exitCode, signal, killed, lost } = view;
  const start = view.textStart ?? 0;
  return {
    id: view.terminalId,
    command: view.command ?? '',
    startedAt: view.startedAt ?? 0,
    running: view.running ?? false,
    exit: {
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(signal === undefined ? {} : { signal }),
      ...(killed === undefined ? {} : { killed }),
      ...(lost === undefined ? {} : { lost }),
    },
    durationMs: view.durationMs,
    text: view.text === undefined || view.text === '' ? undefined : new GrowingText(view.text),
    start,
    // A page contains no text: its end is unknown, and no delta continues it.
    end: whole ? start + byteLength(view.text ?? '') : -1,
    size: view.size ?? 0,
    ref: view.ref,
  };
}
