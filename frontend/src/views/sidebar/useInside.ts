import { type FocusEvent, type PointerEvent, useEffect, useState } from 'react';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';

/** Tracks whether the pointer is over the rows or the focus is in the sidebar. */
export function useInside() {
  const weft = useWeft();
  const [pointer, setPointer] = useState(false);
  const [focus, setFocus] = useState(false);
  const open = useStore(weft.shown, ({ sidebarOpen, drawerOpen }) => `${sidebarOpen} ${drawerOpen}`);
  // An element hidden under the pointer gets no leave event.
  // biome-ignore lint/correctness/useExhaustiveDependencies: run when it is hidden or shown
  useEffect(() => setPointer(false), [open]);
  return {
    inside: pointer || focus,
    rows: {
      // Touch doesn't hover.
      onPointerOver: ({ pointerType }: PointerEvent) => pointerType !== 'touch' && setPointer(true),
      onPointerLeave: () => setPointer(false),
    },
    all: {
      onFocus: () => setFocus(true),
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) =>
        setFocus(currentTarget.contains(relatedTarget)),
    },
  };
}
