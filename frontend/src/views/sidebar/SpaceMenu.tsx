import { Menu } from '@base-ui/react/menu';
import { CircleCheck, MoreHorizontal } from 'lucide-react';
import { Fragment, memo } from 'react';
import { t } from '../../i18n';
import { useWeft } from '../../state/weft';
import type { Space } from '../../transport/api';
import { Keys } from '../parts/Keys';
import { type SpaceAction, useSpaceActions } from '../spaces/useSpaceActions';

interface SpaceMenuProps {
  space: Space;
  title: string;
  /** For renaming it outside of the sidebar. */
  onRename?: () => void;
  tabIndex?: number;
}

/** Properties that don't affect the menu but change often while an agent works. */
const passing: ReadonlySet<string> = new Set<keyof Space>([
  'state',
  'lastActivity',
  'unseen',
  'waits',
  'draft',
]);

/** Reports whether the menu of a space would show the same. */
export function sameMenu<P extends { space: Space }>(
  { space: before, ...others }: P,
  { space: now, ...props }: P,
): boolean {
  const same = <T extends object>(a: T, b: T, name: string) => a[name as keyof T] === b[name as keyof T];
  return (
    Object.keys({ ...before, ...now }).every((name) => passing.has(name) || same(before, now, name)) &&
    Object.keys({ ...others, ...props }).every((name) => same(others, props, name))
  );
}

/** The menu of a space. */
export const SpaceMenu = memo(function SpaceMenu({ space, title, onRename, tabIndex = 0 }: SpaceMenuProps) {
  const weft = useWeft();
  const inList = onRename === undefined;
  const actions = useSpaceActions(space, onRename ?? (() => weft.shown.set({ renaming: space.id })));
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger
        className="icon-button quiet space-more"
        tabIndex={tabIndex}
        aria-label={t('space.menu', { title })}
        title={t('space.menu', { title })}
      >
        <MoreHorizontal size={15} aria-hidden />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end">
          <Menu.Popup className="menu">
            {inList && (
              <Menu.Item className="menu-item" onClick={() => weft.list.set({ picked: new Set([space.id]) })}>
                <CircleCheck size={14} aria-hidden />
                <span className="grow">{t('list.pick')}</span>
                <Keys keys="X" />
              </Menu.Item>
            )}
            <SpaceItems actions={actions} keysOf={(action) => (inList ? action.listKeys : undefined)} />
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}, sameMenu);

/** The actions of a space as menu items. */
export function SpaceItems({
  actions,
  keysOf,
}: {
  actions: readonly SpaceAction[];
  keysOf(action: SpaceAction): string | undefined;
}) {
  return actions.map((action) => {
    const { id, icon: Icon, words, danger = false, run } = action;
    const keys = keysOf(action);
    return (
      <Fragment key={id}>
        {danger && <Menu.Separator className="menu-line" />}
        <Menu.Item className={danger ? 'menu-item danger' : 'menu-item'} onClick={run}>
          <Icon size={14} aria-hidden />
          <span className="grow">{words}</span>
          {keys !== undefined && <Keys keys={keys} />}
        </Menu.Item>
      </Fragment>
    );
  });
}
