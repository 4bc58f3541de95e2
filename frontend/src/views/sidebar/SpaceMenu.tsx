import { Menu } from '@base-ui/react/menu';
import {
  Archive,
  ArchiveRestore,
  CircleCheck,
  Download,
  GitBranch,
  Link,
  ListPlus,
  LogOut,
  MoreHorizontal,
  Pencil,
  Pin,
  PinOff,
  Tag,
  Trash2,
} from 'lucide-react';
import { memo } from 'react';
import { logOut } from '../../commands/agents';
import { keepSpace, pinSpaces } from '../../commands/list';
import { archiveSpace, branchSpace, removeSpace } from '../../commands/spaces';
import { t } from '../../i18n';
import { isOthers } from '../../state/list';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Space } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { Keys } from '../parts/Keys';
import { copyLink } from '../places/copyLink';

interface SpaceMenuProps {
  space: Space;
  title: string;
  /** Where it is renamed elsewhere than in the sidebar. */
  onRename?: () => void;
  tabIndex?: number;
}

/** What of a space its menu has nothing to do with; it comes again and again while an agent works. */
const passing: ReadonlySet<string> = new Set<keyof Space>([
  'state',
  'lastActivity',
  'unseen',
  'waits',
  'draft',
]);

function sameMenu(
  { space: before, ...others }: SpaceMenuProps,
  { space: now, ...props }: SpaceMenuProps,
): boolean {
  const same = <T extends object>(a: T, b: T, name: string) => a[name as keyof T] === b[name as keyof T];
  return (
    Object.keys({ ...before, ...now }).every((name) => passing.has(name) || same(before, now, name)) &&
    Object.keys({ ...others, ...props }).every((name) => same(others, props, name))
  );
}

/** What can be done with a space besides opening it. */
export const SpaceMenu = memo(function SpaceMenu({ space, title, onRename, tabIndex = 0 }: SpaceMenuProps) {
  const weft = useWeft();
  const agent = useStore(weft.server, ({ agents }) => agents.find(({ id }) => id === space.agentId));
  const pinned = useStore(weft.server, ({ order }) => (order.pins ?? []).includes(space.id));
  const inList = onRename === undefined;
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
            {!space.archived && (
              <Menu.Item
                className="menu-item"
                onClick={onRename ?? (() => weft.shown.set({ renaming: space.id }))}
              >
                <Pencil size={14} aria-hidden />
                <span className="grow">{t('space.rename')}</span>
                {inList && <Keys keys="F2" />}
              </Menu.Item>
            )}
            {!space.archived && (
              <Menu.Item
                className="menu-item"
                onClick={() =>
                  void weft.attempt(t('failed.branch'), () => branchSpace(weft, { spaceId: space.id }))
                }
              >
                <GitBranch size={14} aria-hidden />
                {t('branches.branch')}
              </Menu.Item>
            )}
            {!space.archived && (
              <>
                <Menu.Item className="menu-item" onClick={() => void pinSpaces(weft, [space.id], !pinned)}>
                  {pinned ? <PinOff size={14} aria-hidden /> : <Pin size={14} aria-hidden />}
                  <span className="grow">{t(pinned ? 'list.unpin' : 'list.pin')}</span>
                  {inList && <Keys keys="P" />}
                </Menu.Item>
                <Menu.Item className="menu-item" onClick={() => weft.dialogs.set({ tags: [space.id] })}>
                  <Tag size={14} aria-hidden />
                  <span className="grow">{t('list.tags')}</span>
                  {inList && <Keys keys="T" />}
                </Menu.Item>
              </>
            )}
            {isOthers(space) && (
              <Menu.Item className="menu-item" onClick={() => void keepSpace(weft, space.id)}>
                <ListPlus size={14} aria-hidden />
                {t('list.keep')}
              </Menu.Item>
            )}
            {inList && (
              <Menu.Item className="menu-item" onClick={() => weft.list.set({ picked: new Set([space.id]) })}>
                <CircleCheck size={14} aria-hidden />
                <span className="grow">{t('list.pick')}</span>
                <Keys keys="X" />
              </Menu.Item>
            )}
            <Menu.Item className="menu-item" onClick={() => copyLink(space.id)}>
              <Link size={14} aria-hidden />
              {t('link.space')}
            </Menu.Item>
            <Menu.Item className="menu-item" onClick={() => void archiveSpace(weft, space, !space.archived)}>
              {space.archived ? <ArchiveRestore size={14} aria-hidden /> : <Archive size={14} aria-hidden />}
              {space.archived ? t('space.unarchive') : t('space.archive')}
            </Menu.Item>
            <Menu.Item
              className="menu-item"
              onClick={() =>
                weft.dialogs.set({ exporting: { spaceId: space.id, messageId: '', lastId: '' } })
              }
            >
              <Download size={14} aria-hidden />
              {t('export.action')}
            </Menu.Item>
            {agent?.logOut === true && (
              <Menu.Item
                className="menu-item"
                onClick={() => void logOut(weft, { spaceId: space.id, memberId: '' }, oneLine(agent.name))}
              >
                <LogOut size={14} aria-hidden />
                {t('space.logOut', { agent: oneLine(agent.name) })}
              </Menu.Item>
            )}
            <Menu.Separator className="menu-line" />
            <Menu.Item className="menu-item danger" onClick={() => void removeSpace(weft, space)}>
              <Trash2 size={14} aria-hidden />
              {t('space.delete')}
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}, sameMenu);
