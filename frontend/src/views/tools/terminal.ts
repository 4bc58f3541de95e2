import { t } from '../../i18n';
import { isOpen, type Terminal, type ToolCall } from '../../transcript/model';
import { byteLength, textBefore } from '../../transcript/terminal';
import type { GrowingText } from '../../transcript/text';
import { oneLine } from '../parts/clean';
import { screenText } from '../parts/screenText';

/** Most characters searched of a line. */
const longestLine = 2000;

/** The last non-empty line of an output. */
export function lastLine(text: GrowingText | undefined): string {
  if (text === undefined) return '';
  let end = '';
  for (let at = text.end - 1; at >= text.end - text.count && end.length < longestLine; at--) {
    end = (text.from(at)[0] ?? '') + end;
    const lines = screenText(end.slice(-longestLine)).split('\n');
    for (let i = lines.length - 1; i > 0; i--) {
      const line = oneLine(lines[i] ?? '').trim();
      if (line !== '') return line;
    }
  }
  return oneLine(screenText(end.slice(-longestLine))).trim();
}

/** The running command of a call: in one of Weft's terminals, or one that the agent displays. */
export function runningIn(call: ToolCall): { command: string; text: GrowingText | undefined } | null {
  const terminal = call.terminals.findLast(({ running }) => running);
  if (terminal !== undefined) return { command: terminal.command, text: terminal.text };
  if (call.status === 'running' && call.outputText !== undefined)
    return { command: call.title, text: call.outputText };
  return null;
}

/** A terminal of a call as it is drawn. */
export interface Screen {
  /** Empty for a display-only terminal. */
  id: string;
  command: string;
  running: boolean;
  startedAt: number;
  durationMs?: number | undefined;
  exit: Terminal['exit'] | undefined;
  /** The loaded output, and what arrived since; the text is both, concatenated. */
  before: string;
  text: GrowingText | undefined;
  /** Bytes at the start of the output that are missing. */
  gone: number;
  ref?: Terminal['ref'];
  size: number;
}

/** The current terminal, combined with its loaded output. */
export function screenOf(live: Terminal, pulled: Terminal | undefined): Screen {
  const { id, command, running, startedAt, durationMs, exit, ref, size } = live;
  const screen = { id, command, running, startedAt, durationMs, exit, ref, size };
  const cut = live.text?.cut === true;
  if (pulled === undefined || pulled === live) {
    // If only the end of a long text is in memory, its start position is computed.
    const gone = live.text === undefined ? 0 : cut ? live.end - byteLength(live.text.toString()) : live.start;
    return { ...screen, before: '', text: live.text, gone };
  }
  if (!running && (live.text === undefined || cut))
    return { ...screen, before: '', text: pulled.text, gone: pulled.start };
  const before = cut ? undefined : textBefore(pulled, live);
  return {
    ...screen,
    before: before ?? '',
    text: live.text,
    gone: before === undefined ? live.start : pulled.start,
  };
}

/** The output of an agent's display-only terminal. */
export function shownScreen(call: ToolCall, pulled: ToolCall): Screen | null {
  if (call.outputText === undefined && call.exit === undefined) return null;
  const cut = call.outputText?.cut === true;
  const before =
    cut || pulled.outputText === call.outputText
      ? undefined
      : textBefore(
          {
            text: pulled.outputText,
            start: pulled.outputStart,
            end: pulled.outputStart + byteLength(pulled.outputText?.toString() ?? ''),
          },
          { text: call.outputText, start: call.outputStart },
        );
  return {
    id: '',
    command: '',
    running: isOpen(call.status) && call.exit === undefined,
    startedAt: call.startedAt,
    durationMs: call.durationMs,
    exit: call.exit,
    before: before ?? '',
    text: call.outputText,
    gone: before === undefined ? call.outputStart : pulled.outputStart,
    size: 0,
  };
}

/** How a command ended. A killed one has a signal only on systems with signals. */
export function exitWords({ exitCode, signal = '', killed, lost }: Terminal['exit']): string {
  const by = oneLine(signal);
  if (lost === true) return t('terminal.lost');
  if (killed === true) return by === '' ? t('terminal.stopped') : t('terminal.killed', { signal: by });
  if (by !== '') return t('terminal.signal', { signal: by });
  return exitCode === undefined ? t('terminal.ended') : t('terminal.exitCode', { code: exitCode });
}
