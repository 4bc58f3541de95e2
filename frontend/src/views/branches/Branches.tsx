import { useState } from 'react';
import { removeSpace } from '../../commands/spaces';
import { t } from '../../i18n';
import { useTree } from '../../queries/spaces';
import { markOf } from '../../state/branches';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Space, TreeSpace } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { ago, count, exact } from '../parts/numbers';
import { titleOf } from '../parts/spaceTitle';
import { useMinutes } from '../parts/useNow';
import { Side } from '../shell/Side';
import { RenameField } from '../sidebar/RenameField';
import { SpaceMenu } from '../sidebar/SpaceMenu';
import { StateMark } from '../sidebar/StateMark';
import './branches.css';

/** The branch tree of the open space. */
export function Branches({ spaceId }: { spaceId: string }) {
  const tree = useTree(spaceId);
  return (
    <Side
      title={t('branches.title')}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
        const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('.branch-button')];
        const at = rows.indexOf(document.activeElement as HTMLElement);
        if (at < 0) return;
        event.preventDefault();
        rows[at + (event.key === 'ArrowDown' ? 1 : -1)]?.focus();
      }}
    >
      {tree === null ? (
        <p className="side-note">{t('branches.none')}</p>
      ) : (
        <Below parent="" all={tree.spaces} chosen={spaceId} />
      )}
    </Side>
  );
}

function Below({ parent, all, chosen }: { parent: string; all: readonly TreeSpace[]; chosen: string }) {
  const own = all.filter((one) => one.parent === parent);
  if (own.length === 0) return null;
  return (
    <ul className="branches-list">
      {own.map((one) => (
        <li key={one.space.id}>
          <Branch one={one} chosen={one.space.id === chosen} />
          <Below parent={one.space.id} all={all} chosen={chosen} />
        </li>
      ))}
    </ul>
  );
}

function Branch({ one, chosen }: { one: TreeSpace; chosen: boolean }) {
  const weft = useWeft();
  const listed = useStore(weft.server, ({ spaces }) => spaces.find(({ id }) => id === one.space.id));
  const space: Space = listed ?? one.space;
  const [renaming, setRenaming] = useState(false);
  const now = useMinutes();
  const words = oneLine(one.words);
  const about = [
    space.archived ? t('branches.archived') : '',
    one.messages === 0
      ? t('branches.nothingYet')
      : t('branches.messages', { count: one.messages, n: count(one.messages) }),
    // The title is often a shorter version of the same text.
    words.startsWith(titleOf(space).replace(/…$/, '')) ? '' : words,
  ];
  return (
    <div className="branch" data-chosen={chosen} data-archived={space.archived || undefined}>
      {renaming ? (
        <RenameField space={space} onDone={() => setRenaming(false)} />
      ) : (
        <button
          type="button"
          className="branch-button"
          aria-current={chosen ? 'page' : undefined}
          onClick={() => weft.select(space.id)}
          onKeyDown={(event) => {
            if (event.key === 'F2') {
              event.stopPropagation();
              setRenaming(true);
            }
            if (event.key === 'Delete') void removeSpace(weft, space);
          }}
        >
          <StateMark state={markOf(space)} />
          <span dir="auto" className="branch-title truncate">
            {titleOf(space)}
          </span>
          <time
            className="space-time tabular"
            dateTime={new Date(space.lastActivity).toISOString()}
            title={exact(space.lastActivity)}
          >
            {ago(space.lastActivity, now)}
          </time>
          <span className="branch-text truncate">{about.filter((part) => part !== '').join(' · ')}</span>
        </button>
      )}
      <SpaceMenu space={space} title={titleOf(space)} onRename={() => setRenaming(true)} />
    </div>
  );
}
