import { type FocusEvent, type PointerEvent, useEffect, useState } from 'react';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';

/** Whether the pointer is at the rows or the focus is in the sidebar, and what finds out. */
export function useInside() {
  const weft = useWeft();
  const [pointer, setPointer] = useState(false);
  const [focus, setFocus] = useState(false);
  const open = useStore(weft.shown, ({ sidebarOpen, drawerOpen }) => `${sidebarOpen} ${drawerOpen}`);
  // What is hidden under the pointer isn't left by it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is hidden or shown
  useEffect(() => setPointer(false), [open]);
  return {
    inside: pointer || focus,
    rows: {
      // A finger rests nowhere.
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
