import { Menu } from '@base-ui/react/menu';
import { Copy, Eye, SquarePen } from 'lucide-react';
import { t } from '../../i18n';
import { Keys } from '../parts/Keys';

export type MenuPoint = { x: number; y: number } | HTMLElement;

interface ItemsProps {
  onPreview(): void;
  onEdit(): void;
  onCopy(): void;
}

/** What can be done with a place. */
export function PlaceItems({ onPreview, onEdit, onCopy }: ItemsProps) {
  return (
    <>
      <Menu.Item className="menu-item" onClick={onPreview}>
        <Eye size={14} aria-hidden />
        <span className="grow">{t('places.preview')}</span>
      </Menu.Item>
      <Menu.Item className="menu-item" onClick={onEdit}>
        <SquarePen size={14} aria-hidden />
        <span className="grow">{t('places.edit')}</span>
        <Keys keys="mod+Enter" />
      </Menu.Item>
      <Menu.Item className="menu-item" onClick={onCopy}>
        <Copy size={14} aria-hidden />
        <span className="grow">{t('places.copy')}</span>
      </Menu.Item>
    </>
  );
}

/** The menu of a place. */
export function PlaceMenu({
  at,
  back,
  onClose,
  ...items
}: ItemsProps & { at: MenuPoint; back: HTMLElement; onClose(): void }) {
  const anchor =
    at instanceof HTMLElement ? at : { getBoundingClientRect: () => new DOMRect(at.x, at.y, 0, 0) };
  return (
    <Menu.Root open modal={false} onOpenChange={(open) => !open && onClose()}>
      <Menu.Portal>
        <Menu.Positioner anchor={anchor} sideOffset={4} align="start">
          <Menu.Popup ref={focusFirst} className="menu" finalFocus={() => (back.isConnected ? back : false)}>
            <PlaceItems {...items} />
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** It has no trigger that would do it. */
function focusFirst(popup: HTMLElement | null): void {
  const first = popup?.querySelector<HTMLElement>('[role="menuitem"]');
  if (first) requestAnimationFrame(() => first.focus());
}
