import { useEffect, useRef, useState } from 'react';
import { asCommandError, type CommandError } from '../../commands/failure';
import { toolDetail } from '../../commands/transcript';
import { callOf } from '../../state/views';
import { useWeft } from '../../state/weft';
import { isOpen, type ToolCall } from '../../transcript/model';
import { useReading } from '../transcript/reading';

export interface Detail {
  call: ToolCall;
  /** As loaded: it may contain the beginning of streamed data that isn't in memory. */
  pulled: ToolCall;
  loading: boolean;
  error: CommandError | null;
  again(): void;
}

/** A call with its input, content and output, reloaded when its state changes. */
export function useDetail(call: ToolCall, messageId: string, segment: number, item: number): Detail {
  const { session } = useReading();
  const weft = useWeft();
  const [pulled, setPulled] = useState<ToolCall | null>(null);
  const [error, setError] = useState<CommandError | null>(null);
  const [attempt, setAttempt] = useState(0);
  // Content that was released stays visible until it has been loaded.
  const seen = useRef(call);
  if (call.whole) seen.current = call;
  const { status } = call;
  const cut =
    ((call.outputText?.cut === true || call.inputText?.cut === true) && !isOpen(status)) ||
    call.terminals.some(({ running, text }) => !running && text?.cut === true);
  const needed = !call.whole || cut;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new status or attempt pulls it again
  useEffect(() => {
    if (!needed) return;
    let wanted = true;
    toolDetail(weft, { spaceId: session.spaceId, messageId, segment, item }).then(
      (view) => {
        if (!wanted) return;
        setPulled(callOf(view, true));
        setError(null);
      },
      (failure: unknown) => {
        if (wanted) setError(asCommandError(failure));
      },
    );
    return () => {
      wanted = false;
    };
  }, [weft, session, messageId, segment, item, status, attempt, needed]);
  return {
    call: merged(call, pulled ?? seen.current),
    pulled: pulled ?? seen.current,
    loading: needed && pulled === null && error === null,
    error,
    again: () => setAttempt(attempt + 1),
  };
}

/** The loaded call, overlaid with what arrived since. */
export function merged(live: ToolCall, pulled: ToolCall): ToolCall {
  // The input completed after a partial one was loaded.
  const finished = live.inputText === undefined && (live.input ?? live.inputRef) !== undefined;
  const inputText = live.inputText?.cut === false ? live.inputText : (pulled.inputText ?? live.inputText);
  return {
    ...pulled,
    ...live,
    input: live.input ?? pulled.input,
    inputRef: live.inputRef ?? pulled.inputRef,
    inputText: finished ? undefined : inputText,
    content: live.content ?? pulled.content,
    contentRef: live.contentRef ?? pulled.contentRef,
    // A released call only keeps its first locations.
    locations: live.whole ? (live.locations ?? pulled.locations) : (pulled.locations ?? live.locations),
    locationsRef: live.locationsRef ?? pulled.locationsRef,
    output: live.output ?? pulled.output,
    outputRef: live.outputRef ?? pulled.outputRef,
    ...outputOf(live, pulled),
  };
}

/** The live output if it is complete or growing, else the loaded one. */
function outputOf(live: ToolCall, pulled: ToolCall): Pick<ToolCall, 'outputText' | 'outputStart'> {
  const all = live.outputStart === 0 && live.outputText?.cut === false;
  const { outputText, outputStart } =
    live.outputText !== undefined && (all || isOpen(live.status) || pulled.outputText === undefined)
      ? live
      : pulled;
  return { outputText, outputStart };
}
