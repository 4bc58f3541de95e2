import { memo, useRef, useState } from 'react';
import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Space } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { ago, exact } from '../parts/numbers';
import { lastName } from '../parts/paths';
import { useMinutes } from '../parts/useNow';
import { useRest } from '../shell/later';
import { StateMark } from './StateMark';

/** A space in the sidebar: what it is, whose, when, and whether it needs something. */
export const SpaceRow = memo(function SpaceRow({ space, chosen }: { space: Space; chosen: boolean }) {
  const weft = useWeft();
  const renaming = useStore(weft.store, (state) => state.renaming === space.id);
  const now = useMinutes();
  const rest = useRest();
  const title = titleOf(space);
  return (
    <li className="space" data-chosen={chosen} data-state={space.state}>
      {renaming ? (
        <Rename space={space} />
      ) : (
        <button
          type="button"
          className="space-button"
          aria-current={chosen ? 'page' : undefined}
          onClick={() => weft.select(space.id)}
          onDoubleClick={() => weft.store.set({ renaming: space.id })}
          onKeyDown={(event) => {
            if (event.key === 'F2') weft.store.set({ renaming: space.id });
            if (event.key === 'Delete') void weft.remove(space);
          }}
        >
          <StateMark state={space.unseen && space.state === 'idle' ? 'unseen' : space.state} />
          <span className="space-title">{title}</span>
          <span className="space-sub">
            {oneLine(space.agentName)} · {placeOf(space)}
          </span>
          <time
            className="space-time tabular"
            dateTime={new Date(space.lastActivity).toISOString()}
            title={exact(space.lastActivity)}
          >
            {ago(space.lastActivity, now)}
          </time>
        </button>
      )}
      {rest !== null && <rest.SpaceMenu space={space} title={title} />}
    </li>
  );
});

/** Where a space is, in a word: its folder, or the repository and branch of its worktree. */
function placeOf({ folder, worktree }: Space): string {
  if (worktree === null) return oneLine(lastName(folder));
  return oneLine(`${lastName(worktree.repository)} · ${worktree.branch}`);
}

export function titleOf(space: Space): string {
  return oneLine(space.title) || t('space.untitled');
}

function Rename({ space }: { space: Space }) {
  const weft = useWeft();
  const [text, setText] = useState(space.title);
  const left = useRef(false);
  const done = (save: boolean) => {
    if (left.current) return;
    left.current = true;
    weft.store.set({ renaming: null });
    const title = text.trim();
    if (save && title !== '' && title !== space.title) void weft.rename(space.id, title);
  };
  return (
    <input
      className="space-rename"
      aria-label={t('space.rename')}
      value={text}
      // biome-ignore lint/a11y/noAutofocus: the person has just asked to rename it
      autoFocus
      onFocus={(event) => event.target.select()}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => done(true)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') done(true);
        if (event.key === 'Escape') {
          event.stopPropagation();
          done(false);
        }
      }}
    />
  );
}
