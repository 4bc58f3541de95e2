import { type Ref, useEffect, useImperativeHandle, useState } from 'react';
import { sentences } from '../../i18n/formats';
import { SpeechQueue } from './speechQueue';

export interface Speaker {
  say(text: string): void;
}

interface LiveRegionProps {
  ref: Ref<Speaker>;
  /** Replaces many texts at once; without it, all are announced. */
  many?(n: number): string;
}

/** Most texts announced individually. */
const apart = 3;

/** Announces texts to screen readers, politely and not too many at a time. */
export function LiveRegion({ ref, many }: LiveRegionProps) {
  const [said, setSaid] = useState({ text: '', n: 0 });
  // The settings are fixed for its lifetime.
  const [voice] = useState(() => {
    const join = (texts: readonly string[]) =>
      many !== undefined && texts.length > apart ? many(texts.length) : sentences(texts);
    return new SpeechQueue((text) => setSaid(({ n }) => ({ text, n: n + 1 })), join);
  });
  useEffect(() => () => voice.stop(), [voice]);
  useImperativeHandle(ref, () => ({ say: (text) => voice.say(text) }), [voice]);
  return (
    <div className="visually-hidden" aria-live="polite" data-says>
      {/* A new element each time: repeating a text would otherwise be no change. */}
      <span key={said.n}>{said.text}</span>
    </div>
  );
}
