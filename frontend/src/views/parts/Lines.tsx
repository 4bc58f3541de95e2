import { LongText } from '../../markdown/LongText';
import { lines, wholeLine } from './clean';

/** Untrusted text of several lines, of any length. */
export function Lines({ text }: { text: string }) {
  return <LongText text={lines(text)} />;
}

/** One line of untrusted text, of any length, which has to be seen as a whole. */
export function WholeLine({ text }: { text: string }) {
  return <LongText text={wholeLine(text)} />;
}
