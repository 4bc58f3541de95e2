import { Menu } from '@base-ui/react/menu';
import type { KeyboardEvent, ReactNode } from 'react';

/** Where a menu opens: at an element, or at a point of the window. */
export type MenuPoint = { x: number; y: number } | HTMLElement;

interface Props {
  at: MenuPoint;
  align: 'start' | 'end';
  className: string;
  /** What has the focus after it. */
  back(): HTMLElement | null | false;
  onClose(): void;
  children: ReactNode;
}

/**
 * A menu without a trigger, as it also opens where one clicks. What a trigger does otherwise is done here: what is chosen has the focus first, or
 * else the first entry, and Tab leads to what comes after where the menu came from.
 */
export function LooseMenu({ at, align, className, back, onClose, children }: Props) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Tab' || event.shiftKey) return;
    const from = back();
    if (!from) return;
    from.focus({ preventScroll: true }); // the browser continues from there
    onClose();
  };
  return (
    <Menu.Root open modal={false} onOpenChange={(open) => !open && onClose()}>
      <Menu.Portal>
        <Menu.Positioner anchor={at instanceof HTMLElement ? at : pointAt(at)} sideOffset={4} align={align}>
          <Menu.Popup ref={focusFirst} className={className} finalFocus={back} onKeyDown={onKeyDown}>
            {children}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function focusFirst(popup: HTMLElement | null): void {
  const chosen = popup?.querySelector<HTMLElement>('[aria-checked="true"], [role="menuitem"]');
  if (chosen) requestAnimationFrame(() => chosen.focus());
}

function pointAt({ x, y }: { x: number; y: number }) {
  return { getBoundingClientRect: () => new DOMRect(x, y, 0, 0) };
}
