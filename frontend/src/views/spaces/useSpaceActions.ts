import {
  Archive,
  ArchiveRestore,
  Download,
  GitBranch,
  Link,
  ListPlus,
  LogOut,
  type LucideIcon,
  Pencil,
  Pin,
  PinOff,
  Tag,
  Trash2,
} from 'lucide-react';
import { logOut } from '../../commands/agents';
import { keepSpace, pinSpaces } from '../../commands/list';
import { archiveSpace, branchSpace, removeSpace } from '../../commands/spaces';
import { t } from '../../i18n';
import { isAutomatic } from '../../state/list';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Space } from '../../transport/api';
import { selectedMessages } from '../exports/selected';
import { oneLine } from '../parts/clean';
import { copyLink } from '../places/copyLink';

/** An action of a space. */
export interface SpaceAction {
  id: string;
  icon: LucideIcon;
  /** Its label in a menu of the space. */
  words: string;
  /** Its label in the palette, where the space isn't obvious. */
  title: string;
  keywords?: string[];
  /** Its shortcut in the open space. */
  keys?: string;
  /** Its shortcut in the space list. */
  listKeys?: string;
  danger?: boolean;
  run(): void;
}

/** The actions of a space, for all its menus and the palette. */
export function useSpaceActions(space: Space, onRename: () => void): readonly SpaceAction[] {
  const weft = useWeft();
  const agent = useStore(weft.server, ({ agents }) => agents.find(({ id }) => id === space.agentId));
  const pinned = useStore(weft.server, ({ order }) => (order.pins ?? []).includes(space.id));
  const { id: spaceId, archived } = space;
  const kept: SpaceAction[] = [
    {
      id: 'space.rename',
      icon: Pencil,
      words: t('space.rename'),
      title: t('action.rename'),
      keys: 'F2',
      listKeys: 'F2',
      run: onRename,
    },
    {
      id: 'branches.branch',
      icon: GitBranch,
      words: t('branches.branch'),
      title: t('action.branch'),
      keywords: ['fork', 'copy'],
      run: () => void weft.attempt(t('failed.branch'), () => branchSpace(weft, { spaceId })),
    },
    {
      id: 'space.pin',
      icon: pinned ? PinOff : Pin,
      words: t(pinned ? 'list.unpin' : 'list.pin'),
      title: t(pinned ? 'action.unpin' : 'action.pin'),
      listKeys: 'P',
      run: () => void pinSpaces(weft, [spaceId], !pinned),
    },
    {
      id: 'space.tags',
      icon: Tag,
      words: t('list.tags'),
      title: t('action.tag'),
      keywords: ['label'],
      listKeys: 'T',
      run: () => weft.dialogs.set({ tags: [spaceId] }),
    },
  ];
  return [
    ...(archived ? [] : kept),
    ...(isAutomatic(space)
      ? [
          {
            id: 'space.keep',
            icon: ListPlus,
            words: t('list.keep'),
            title: t('list.keep'),
            run: () => void keepSpace(weft, spaceId),
          },
        ]
      : []),
    {
      id: 'space.link',
      icon: Link,
      words: t('link.space'),
      title: t('action.copySpaceLink'),
      keywords: ['address', 'url'],
      run: () => copyLink(spaceId),
    },
    {
      id: 'space.archive',
      icon: archived ? ArchiveRestore : Archive,
      words: t(archived ? 'space.unarchive' : 'space.archive'),
      title: t(archived ? 'action.unarchive' : 'action.archive'),
      run: () => void archiveSpace(weft, space, !archived),
    },
    {
      id: 'space.export',
      icon: Download,
      words: t('export.action'),
      title: t('action.export'),
      keywords: ['save', 'markdown', 'html', 'json', 'download'],
      run: () => {
        const { screen, selected } = weft.shown.get();
        // The selection is in the open space.
        const chosen =
          screen === 'space' && selected === spaceId ? selectedMessages() : { messageId: '', lastId: '' };
        weft.dialogs.set({ exporting: { spaceId, ...chosen } });
      },
    },
    ...(agent?.logOut === true
      ? [
          {
            id: 'space.logOut',
            icon: LogOut,
            words: t('space.logOut', { agent: oneLine(agent.name) }),
            title: t('space.logOut', { agent: oneLine(agent.name) }),
            run: () => void logOut(weft, { spaceId, memberId: '' }, oneLine(agent.name)),
          },
        ]
      : []),
    {
      id: 'space.delete',
      icon: Trash2,
      words: t('space.delete'),
      title: t('action.delete'),
      danger: true,
      run: () => void removeSpace(weft, space),
    },
  ];
}
