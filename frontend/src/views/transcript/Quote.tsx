import { Quote as QuoteIcon } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { t } from '../../i18n';
import { isTyping, useActions } from '../../keyboard/actions';
import { FrameJob } from '../../state/frame';
import { insertIntoComposer } from '../../state/insert';
import { selectedFor } from '../find/spot';
import { Keys } from '../parts/Keys';
import { quoteOf, selectedIn } from './quote';
import { useReading } from './reading';

const keys = 'mod+shift+y';
/** Distance of the button from the selection, and the space it needs above. */
const away = 6;
const room = 40;
/** How long after the last key a field no longer counts as being typed in, in milliseconds. */
const keysRest = 300;

/** A button next to the selection in the transcript that quotes it in the composer. */
export function Quote({ scroller }: { scroller: RefObject<HTMLElement | null> }) {
  const { spot } = useReading();
  const [place, setPlace] = useState<{ x: number; y: number } | null>(null);
  /** The quote of what was selected before a dialog (the palette) took the selection. */
  const kept = useRef('');

  useEffect(() => {
    let pressed = false;
    const look = () => {
      const element = scroller.current;
      const selected = element === null || pressed ? null : selectedIn(element);
      if (element === null || selected === null) {
        if (document.activeElement?.closest('[role=dialog]') == null) kept.current = '';
        setPlace(null);
        return;
      }
      kept.current = quoteOf(selected);
      const view = element.getBoundingClientRect();
      const at = selected.range.getBoundingClientRect();
      // A search match shouldn't be quoted, and the button would cover what is beside it.
      if (at.bottom < view.top || at.top > view.bottom || selectedFor(spot, selected.range)) {
        setPlace(null);
        return;
      }
      const above = at.top - room > view.top;
      setPlace({
        x: Math.min(Math.max(at.left + at.width / 2, view.left + 48), view.right - 48) - view.left,
        y: (above ? at.top - room + away : Math.min(at.bottom + away, view.bottom - room)) - view.top,
      });
    };
    const frame = new FrameJob(look);
    // Typing moves the selection, too, without concerning the transcript, so it is checked after typing.
    let later: ReturnType<typeof setTimeout> | undefined;
    const ask = () => {
      clearTimeout(later);
      if (kept.current !== '' || !isTyping(document.activeElement)) frame.ask();
      else later = setTimeout(() => frame.ask(), keysRest);
    };
    // Reading the selection forces a layout, which a transcript that follows its end does anyway in each frame.
    const scrolled = () => {
      if (kept.current !== '') frame.ask();
    };
    const down = (event: PointerEvent) => {
      pressed = !(event.target instanceof Element && event.target.closest('.quote-button') !== null);
    };
    const up = () => {
      pressed = false;
      frame.ask();
    };
    const element = scroller.current;
    document.addEventListener('selectionchange', ask);
    document.addEventListener('pointerdown', down);
    document.addEventListener('pointerup', up);
    document.addEventListener('pointercancel', up);
    element?.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      clearTimeout(later);
      frame.cancel();
      document.removeEventListener('selectionchange', ask);
      document.removeEventListener('pointerdown', down);
      document.removeEventListener('pointerup', up);
      document.removeEventListener('pointercancel', up);
      element?.removeEventListener('scroll', scrolled);
    };
  }, [scroller, spot]);

  const quote = () => {
    const selected = scroller.current === null ? null : selectedIn(scroller.current);
    const text = selected === null ? kept.current : quoteOf(selected);
    if (text === '') return;
    kept.current = '';
    document.getSelection()?.removeAllRanges();
    setPlace(null);
    insertIntoComposer(text);
  };
  useActions([{ id: 'quote', title: t('action.quote'), section: t('section.transcript'), keys, run: quote }]);

  if (place === null) return null;
  return (
    <button
      type="button"
      className="quote-button"
      style={{ left: place.x, top: place.y }}
      // The selection must survive the click.
      onPointerDown={(event) => event.preventDefault()}
      onClick={quote}
    >
      <QuoteIcon size={13} aria-hidden />
      {t('quote.button')}
      <Keys keys={keys} />
    </button>
  );
}
