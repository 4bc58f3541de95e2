import { Command, defaultFilter } from 'cmdk';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { t } from '../../i18n';
import { type Action, useOfferedActions } from '../../keyboard/actions';
import { markOf } from '../../state/branches';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Space } from '../../transport/api';
import { focusBehindClosing } from '../parts/closingFocus';
import { Keys } from '../parts/Keys';
import { focusFirst, focusIsLost } from '../parts/returnFocus';
import { titleOf } from '../parts/spaceTitle';
import { StateMark } from '../sidebar/StateMark';

/** Scattered letters of a title don't match, because Enter runs the first result. */
function filter(value: string, search: string, keywords?: string[]): number {
  const score = defaultFilter(value, search, keywords);
  return score < 0.001 ? 0 : score;
}

/** Most recent spaces offered before the user types. */
const mostRecent = 5;

interface Item {
  value: string;
  keywords: readonly string[];
  run(): void;
  content: ReactNode;
}

interface Group {
  heading: string;
  items: readonly Item[];
}

/** Sorts the groups by their best match: the library only sorts within groups. */
function ordered(groups: readonly Group[], search: string): readonly Group[] {
  if (search.trim() === '') return groups;
  const best = new Map(
    groups.map((group) => [
      group,
      Math.max(...group.items.map(({ value, keywords }) => filter(value, search, [...keywords]))),
    ]),
  );
  return groups.toSorted((one, other) => (best.get(other) ?? 0) - (best.get(one) ?? 0));
}

/** Actions and spaces, with search. */
export function Commands() {
  const weft = useWeft();
  const [search, setSearch] = useState('');
  const list = useRef<HTMLDivElement>(null);
  // Scrolls to the best match, which is the first one and selected.
  // biome-ignore lint/correctness/useExhaustiveDependencies: run for each search
  useLayoutEffect(() => {
    list.current?.scrollTo?.({ top: 0 });
  }, [search]);
  const actions = useOfferedActions().filter((action) => action.keyOnly !== true);
  const spaces = useStore(weft.server, (state) => state.spaces);
  const open = useStore(weft.shown, (state) => (state.screen === 'space' ? state.selected : null));
  // Before the user types, Enter returns to the previous space.
  const recent = search === '' ? recentOf(spaces, weft.visited, open) : [];
  // The closest comes first: the space, its transcript, then everything else.
  const first = [t('section.space'), t('section.transcript')];
  const sections = [...new Set([...first, ...actions.map(({ section }) => section)])];
  // At once, and after restoring the focus: the next key belongs to the selected action.
  const select = (run: () => void) => {
    flushSync(() => weft.open(null));
    focusBehindClosing();
    flushSync(run);
    if (focusIsLost()) focusFirst();
  };
  // When opening a space, the focus goes to its composer.
  const enter = (id: string) => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    weft.select(id);
  };
  const goTo = (list: readonly Space[]) => list.map((space) => spaceItem(space, () => enter(space.id)));
  const groups: Group[] = [
    { heading: t('palette.recent'), items: goTo(recent) },
    ...sections.map((section) => ({
      heading: section,
      items: actions.filter((action) => action.section === section).map(actionItem),
    })),
    {
      heading: t('palette.goTo'),
      items: goTo(spaces.slice(0, 200).filter((space) => !recent.includes(space))),
    },
  ].filter(({ items }) => items.length > 0);
  return (
    <Command label={t('palette.label')} filter={filter} loop>
      <Command.Input
        className="palette-field"
        placeholder={t('palette.placeholder')}
        value={search}
        onValueChange={setSearch}
        autoFocus
      />
      <Command.List ref={list} className="palette-list" label={t('palette.label')}>
        <Command.Empty className="palette-empty">{t('palette.none')}</Command.Empty>
        {ordered(groups, search).map(({ heading, items }) => (
          <Command.Group key={heading} heading={heading}>
            {items.map(({ value, keywords, run, content }) => (
              <Command.Item
                key={value}
                value={value}
                keywords={[...keywords]}
                className="palette-item"
                onSelect={() => select(run)}
              >
                {content}
              </Command.Item>
            ))}
          </Command.Group>
        ))}
      </Command.List>
    </Command>
  );
}

/** Spaces visited before, then recently active ones, without the open one. */
export function recentOf(spaces: readonly Space[], visited: readonly string[], open: string | null): Space[] {
  const place = (id: string) => (visited.includes(id) ? visited.indexOf(id) : visited.length);
  return spaces
    .filter(({ id }) => id !== open)
    .toSorted((a, b) => place(a.id) - place(b.id))
    .slice(0, mostRecent);
}

function actionItem({ id, title, keywords, keys, run }: Action): Item {
  return {
    value: `${title} ${id}`,
    keywords: keywords ?? [],
    run,
    content: (
      <>
        <span dir="auto" className="palette-title truncate" title={title}>
          {title}
        </span>
        {keys !== undefined && <Keys keys={keys} />}
      </>
    ),
  };
}

function spaceItem(space: Space, run: () => void): Item {
  return {
    value: `space ${space.id}`,
    keywords: [space.title, space.agentName],
    run,
    content: (
      <>
        <StateMark state={markOf(space)} />
        <span dir="auto" className="palette-title truncate">
          {titleOf(space)}
        </span>
        <span className="palette-note">{space.agentName}</span>
      </>
    ),
  };
}
