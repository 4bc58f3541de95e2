import { type PointerEvent, type RefObject, useEffect, useState } from 'react';
import { beforeAt } from '../../state/queue';

interface Drag {
  /** The dragged entry. */
  id: string;
  /** The entry before which it would be dropped; '' is the end. */
  before: string;
}

interface DragOrder {
  drag: Drag | null;
  /** Props for the handle of an entry. */
  handle(id: string): {
    onPointerDown(event: PointerEvent<HTMLElement>): void;
    onPointerMove(event: PointerEvent<HTMLElement>): void;
    onPointerUp(): void;
    onPointerCancel(): void;
  };
}

/** Reorders the entries of a list by dragging their handles with a mouse, a pen or a finger. Escape cancels. */
export function useDragOrder(
  list: RefObject<HTMLElement | null>,
  onMove: (id: string, before: string) => void,
): DragOrder {
  const [drag, setDrag] = useState<Drag | null>(null);
  const dragging = drag !== null;
  useEffect(() => {
    if (!dragging) return;
    const cancel = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      // Escape must not stop the agent.
      event.preventDefault();
      event.stopPropagation();
      setDrag(null);
    };
    window.addEventListener('keydown', cancel, { capture: true });
    return () => window.removeEventListener('keydown', cancel, { capture: true });
  }, [dragging]);
  const target = (id: string, y: number) => {
    const others = [...(list.current?.children ?? [])].flatMap((row) => {
      const { top, height } = row.getBoundingClientRect();
      const own = (row as HTMLElement).dataset['id'] ?? '';
      return own === id ? [] : [{ id: own, middle: top + height / 2 }];
    });
    return beforeAt(others, y);
  };
  return {
    drag,
    handle: (id) => ({
      onPointerDown: (event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ id, before: target(id, event.clientY) });
      },
      onPointerMove: (event) => {
        if (drag?.id === id) setDrag({ id, before: target(id, event.clientY) });
      },
      onPointerUp: () => {
        if (drag?.id === id) onMove(id, drag.before);
        setDrag(null);
      },
      onPointerCancel: () => setDrag(null),
    }),
  };
}
