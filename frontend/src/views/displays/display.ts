import type { ToolCall } from '../../transcript/model';
import type { Json } from '../../transcript/types';
import type { Phase } from './phase';
import type { Fields } from './read';

/** What a component of a display is drawn from. */
export interface DisplayProps {
  input: Fields;
  call: ToolCall;
  phase: Phase;
  ask: Ask;
}

/** The user's side of a display. */
export interface Ask {
  /** Whether it can be answered now. */
  open: boolean;
  /** The keys 1 to 9 answer it: someone waits for that. */
  numbered: boolean;
  /** An answer is on its way. */
  sending: boolean;
  /** What was answered. */
  answer: Json | undefined;
  send(answer: Json): void;
  /** Takes the keys 1 to 9 for as long as the display can be answered. */
  onNumber(choose: (n: number) => void): void;
  /** What half an answer is kept under. */
  draftKey: string;
}

/** What the options that were chosen are kept under, beside what was written. */
export const pickedIn = (draftKey: string): string => `${draftKey}:picked`;
