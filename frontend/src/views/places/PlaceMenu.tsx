import { Menu } from '@base-ui/react/menu';
import { Copy, Eye, SquarePen } from 'lucide-react';
import { t } from '../../i18n';
import { Keys } from '../parts/Keys';
import { LooseMenu, type MenuPoint } from '../parts/LooseMenu';

interface ItemsProps {
  onPreview(): void;
  onEdit(): void;
  onCopy(): void;
}

/** Menu items for a file location. */
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

/** The menu of a file location. */
export function PlaceMenu({
  at,
  back,
  onClose,
  ...items
}: ItemsProps & { at: MenuPoint; back: HTMLElement; onClose(): void }) {
  return (
    <LooseMenu
      at={at}
      align="start"
      className="menu"
      back={() => (back.isConnected ? back : false)}
      onClose={onClose}
    >
      <PlaceItems {...items} />
    </LooseMenu>
  );
}
