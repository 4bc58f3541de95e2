import { Menu } from '@base-ui/react/menu';
import {
  Check,
  Ellipsis,
  GitBranch,
  ListTree,
  Locate,
  type LucideIcon,
  TableOfContents,
  Users,
} from 'lucide-react';
import { memo } from 'react';
import { t } from '../../i18n';
import { useActions } from '../../keyboard/actions';
import { useTree } from '../../queries/spaces';
import type { PanelName } from '../../state/shown';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Space } from '../../transport/api';
import { Keys } from '../parts/Keys';
import { usePopupContainer } from '../parts/usePopupContainer';
import { SpaceItems, sameMenu } from '../sidebar/SpaceMenu';
import { useSpaceActions } from './useSpaceActions';

interface Entry {
  panel: PanelName | 'follow';
  icon: LucideIcon;
  words: string;
  keys: string;
}

interface PanelsMenuProps {
  space: Space;
  /** A stable function. */
  onRename(): void;
}

/**
 * The menu of a space's panels, with shortcuts and check marks, and of its actions, which it also registers for the
 * palette.
 */
export const PanelsMenu = memo(function PanelsMenu({ space, onRename }: PanelsMenuProps) {
  const weft = useWeft();
  const spaceId = space.id;
  const actions = useSpaceActions(space, onRename);
  useActions(
    actions.map(({ id, title, keywords, keys, run }) => ({
      ...{ id, title, run, section: t('section.space') },
      ...(keywords !== undefined && { keywords }),
      ...(keys !== undefined && { keys }),
    })),
  );
  const [host, place] = usePopupContainer();
  const panel = useStore(weft.shown, (state) => state.panel);
  const follows = useStore(weft.shown, (state) => state.following.includes(spaceId));
  const branches = useTree(spaceId)?.spaces.length ?? 0;
  const entries: Entry[] = [
    { panel: 'outline', icon: TableOfContents, words: t('action.outline'), keys: 'mod+shift+g' },
    { panel: 'members', icon: Users, words: t('action.members'), keys: 'mod+shift+m' },
    {
      panel: 'branches',
      icon: GitBranch,
      words: branches === 0 ? t('action.branches') : t('branches.badge', { count: branches }),
      keys: 'mod+shift+b',
    },
    { panel: 'follow', icon: Locate, words: t('action.follow'), keys: 'mod+shift+e' },
    { panel: 'log', icon: ListTree, words: t('action.log'), keys: 'mod+shift+l' },
  ];
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger ref={place} className="icon-button" aria-label={t('space.more')} title={t('space.more')}>
        <Ellipsis size={16} aria-hidden />
      </Menu.Trigger>
      <Menu.Portal container={host}>
        <Menu.Positioner sideOffset={6} align="end" collisionPadding={8}>
          <Menu.Popup className="menu panels-menu">
            {entries.map(({ panel: one, icon: Icon, words, keys }) => (
              <Menu.CheckboxItem
                key={one}
                className="menu-item"
                checked={one === 'follow' ? follows : panel === one}
                onCheckedChange={() =>
                  one === 'follow' ? weft.toggleFollow(spaceId) : weft.togglePanel(one)
                }
                closeOnClick
              >
                <Icon size={14} aria-hidden />
                <span className="grow">{words}</span>
                <Menu.CheckboxItemIndicator className="menu-check">
                  <Check size={14} aria-hidden />
                </Menu.CheckboxItemIndicator>
                <Keys keys={keys} />
              </Menu.CheckboxItem>
            ))}
            <Menu.Separator className="menu-line" />
            <SpaceItems actions={actions} keysOf={({ keys }) => keys} />
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}, sameMenu);
