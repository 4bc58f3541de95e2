import { type RefObject, useLayoutEffect } from 'react';
import { useWeft } from '../../state/weft';

/** Puts the draft of a space into the field, and again whenever another window has changed it. */
export function useDraft(
  spaceId: string,
  field: RefObject<HTMLTextAreaElement | null>,
  onShown: () => void,
): void {
  const { drafts } = useWeft();
  useLayoutEffect(() => {
    const show = (text: string) => {
      const element = field.current;
      if (element === null || element.value === text) return;
      element.value = text;
      onShown();
    };
    if (field.current !== null) field.current.value = drafts.content(spaceId).text;
    onShown();
    return drafts.watch(spaceId, ({ text }) => show(text));
  }, [drafts, spaceId, field, onShown]);
}
