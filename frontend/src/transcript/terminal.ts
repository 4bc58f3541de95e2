import type { Limits } from './call';
import type { Terminal, ToolCall } from './model';
import { GrowingText } from './text';
import type { TerminalEnd, TerminalStart, ToolOutputDelta } from './types';

// Applies events to the terminals of a tool call.

export function terminalStarted(call: ToolCall, event: TerminalStart): ToolCall {
  if (call.terminals.some(({ id }) => id === event.terminalId)) return call;
  const terminal: Terminal = {
    id: event.terminalId,
    command: event.command,
    startedAt: event.startedAt,
    running: true,
    exit: {},
    start: 0,
    end: 0,
    size: 0,
  };
  return { ...call, terminals: [...call.terminals, terminal] };
}

export function terminalGrown(call: ToolCall, event: ToolOutputDelta, limits: Limits): ToolCall {
  const offset = event.offset ?? 0;
  return changed(call, event.terminalId, (terminal) => {
    const goes = offset === terminal.end;
    const text = (goes ? terminal.text : undefined) ?? new GrowingText('', limits.streamed);
    text.append(event.delta);
    const start = goes && terminal.text !== undefined ? terminal.start : offset;
    return { ...terminal, text, start, end: offset + byteLength(event.delta) };
  });
}

export function terminalEnded(call: ToolCall, event: TerminalEnd): ToolCall {
  const { exitCode, signal, killed, lost } = event;
  return changed(call, event.terminalId, (terminal) => ({
    ...terminal,
    running: false,
    exit: {
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(signal === undefined ? {} : { signal }),
      ...(killed === undefined ? {} : { killed }),
      ...(lost === undefined ? {} : { lost }),
    },
    durationMs: event.durationMs,
    size: event.size ?? 0,
    ref: event.ref,
  }));
}

function changed(call: ToolCall, id: string | undefined, change: (terminal: Terminal) => Terminal): ToolCall {
  let found = false;
  const terminals = call.terminals.map((terminal) => {
    if (terminal.id !== id) return terminal;
    found = true;
    return change(terminal);
  });
  return found ? { ...call, terminals, grown: call.grown + 1 } : call;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

/** A part of an output: its bytes from `start` to `end`. */
export type OutputRange = Pick<Terminal, 'text' | 'start' | 'end'>;

/**
 * Returns the part of a loaded output before the live part, or all of it if there is none. Returns undefined if the two
 * don't touch: then only the live part is valid.
 */
export function textBefore(
  pulled: OutputRange,
  live: Pick<OutputRange, 'text' | 'start'>,
): string | undefined {
  const text = pulled.text?.toString() ?? '';
  if (live.text === undefined || live.start === pulled.end) return text;
  if (live.start > pulled.end || live.start <= pulled.start) return undefined;
  return decoder.decode(encoder.encode(text).subarray(0, live.start - pulled.start));
}
