import { toneStyle } from './tones';
import './tags.css';

/** A tag with its color and name. */
export function TagName({ name, tone }: { name: string; tone: number }) {
  return (
    <>
      <span className="tag-dot" style={toneStyle(tone)} aria-hidden />
      <span dir="auto" className="tag-name truncate">
        {name}
      </span>
    </>
  );
}
