import { type Ref, useEffect, useImperativeHandle, useState } from 'react';
import { sentences } from '../../i18n/formats';
import { Voice } from './voice';

export interface Speaker {
  say(text: string): void;
}

interface LiveRegionProps {
  ref: Ref<Speaker>;
  /** What is said in place of many texts at once; without it all are said. */
  many?(n: number): string;
}

/** So many are said one by one. */
const apart = 3;

/** Says texts to screen readers, politely and not too many at a time. */
export function LiveRegion({ ref, many }: LiveRegionProps) {
  const [said, setSaid] = useState({ text: '', n: 0 });
  // It says the same way for as long as it is there.
  const [voice] = useState(() => {
    const join = (texts: readonly string[]) =>
      many !== undefined && texts.length > apart ? many(texts.length) : sentences(texts);
    return new Voice((text) => setSaid(({ n }) => ({ text, n: n + 1 })), join);
  });
  useEffect(() => () => voice.stop(), [voice]);
  useImperativeHandle(ref, () => ({ say: (text) => voice.say(text) }), [voice]);
  return (
    <div className="visually-hidden" aria-live="polite" data-says>
      {/* Another element each time: a text that is said again would else be no change. */}
      <span key={said.n}>{said.text}</span>
    </div>
  );
}
