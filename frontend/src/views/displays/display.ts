import type { ToolCall } from '../../transcript/model';
import type { Json } from '../../transcript/types';
import type { Phase } from './phase';
import type { Fields } from './read';

/** Props of the component of a display. */
export interface DisplayProps {
  input: Fields;
  call: ToolCall;
  phase: Phase;
  ask: Ask;
}

/** The user's interaction with a display. */
export interface Ask {
  /** Whether it can be answered now. */
  open: boolean;
  /** The keys 1 to 9 answer it, because an agent waits for that. */
  numbered: boolean;
  /** An answer is being sent. */
  sending: boolean;
  /** The answer. */
  answer: Json | undefined;
  send(answer: Json): void;
  /** Handles the keys 1 to 9 while the display can be answered. */
  onNumber(choose: (n: number) => void): void;
  /** Storage key of an unfinished answer. */
  draftKey: string;
}

/** Storage key of the selected options, next to the text. */
export const pickedKey = (draftKey: string): string => `${draftKey}:picked`;
