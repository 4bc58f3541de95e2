import { LongText } from '../../markdown/LongText';
import { lines, wholeLine } from './clean';

/** Untrusted multi-line text of any length. */
export function Lines({ text }: { text: string }) {
  return <LongText text={lines(text)} />;
}

/** One line of untrusted text of any length that must be fully visible. */
export function WholeLine({ text }: { text: string }) {
  return <LongText text={wholeLine(text)} />;
}
