import { Menu } from '@base-ui/react/menu';
import type { KeyboardEvent, ReactNode } from 'react';

/** Where a menu opens: at an element, or at a point of the window. */
export type MenuPoint = { x: number; y: number } | HTMLElement;

interface Props {
  at: MenuPoint;
  align: 'start' | 'end';
  className: string;
  /** Receives the focus afterwards. */
  back(): HTMLElement | null | false;
  onClose(): void;
  children: ReactNode;
}

/**
 * A menu without a trigger, for context menus. It does what a trigger would: the selected entry or else the first one
 * is focused first, and Tab moves to what follows the menu's origin.
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
