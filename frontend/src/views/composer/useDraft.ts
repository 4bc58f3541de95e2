import { type RefObject, useLayoutEffect, useState } from 'react';
import { useWeft } from '../../state/weft';

/**
 * Puts the draft of a space into the field, and again whenever another window has changed it, unless the field shows
 * something else (busy). Returns the key of the field: its undo history belongs to what was typed in it.
 */
export function useDraft(
  spaceId: string,
  field: RefObject<HTMLTextAreaElement | null>,
  onShown: () => void,
  busy: () => boolean,
  put: (text: string) => void,
): number {
  const { drafts } = useWeft();
  const [key, setKey] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new field must be filled
  useLayoutEffect(() => {
    const show = (text: string) => {
      const element = field.current;
      if (element === null || element.value === text || busy()) return;
      if (document.activeElement !== element) setKey((n) => n + 1);
      else if (fresh) element.value = text;
      else put(text);
      fresh = false;
      onShown();
    };
    const { text } = drafts.content(spaceId);
    let fresh = text === '';
    if (field.current !== null) field.current.value = text;
    onShown();
    return drafts.watch(spaceId, ({ text }) => show(text));
  }, [drafts, spaceId, field, onShown, busy, put, key]);
  return key;
}
