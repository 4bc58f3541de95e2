import { Command, defaultFilter } from 'cmdk';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { t } from '../../i18n';
import { type Action, useOfferedActions } from '../../keyboard/actions';
import { markOf } from '../../state/branches';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Space } from '../../transport/api';
import { leaveClosing } from '../parts/closingFocus';
import { Keys } from '../parts/Keys';
import { focusFirst, focusIsLost } from '../parts/returnFocus';
import { titleOf } from '../parts/spaceTitle';
import { StateMark } from '../sidebar/StateMark';

/** Letters that are only scattered over a title do not find it: what is first is done by Enter. */
function filter(value: string, search: string, keywords?: string[]): number {
  const score = defaultFilter(value, search, keywords);
  return score < 0.001 ? 0 : score;
}

/** So many recent spaces are offered before anything is typed. */
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

/** The groups in the order of their best matches: the library orders what is in them only. */
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

/** Actions and spaces, found by typing. */
export function Commands() {
  const weft = useWeft();
  const [search, setSearch] = useState('');
  const list = useRef<HTMLDivElement>(null);
  // The best match is the first one, and selected: it is in view, however far the list was scrolled.
  // biome-ignore lint/correctness/useExhaustiveDependencies: something else is looked for
  useLayoutEffect(() => {
    list.current?.scrollTo?.({ top: 0 });
  }, [search]);
  const actions = useOfferedActions().filter((action) => action.keyOnly !== true);
  const spaces = useStore(weft.server, (state) => state.spaces);
  const open = useStore(weft.shown, (state) => (state.screen === 'space' ? state.selected : null));
  // Before anything is typed, Enter goes back to where the user was.
  const recent = search === '' ? recentOf(spaces, weft.visited, open) : [];
  // What is nearest comes first: the space, its transcript, then everything else.
  const first = [t('section.space'), t('section.transcript')];
  const sections = [...new Set([...first, ...actions.map(({ section }) => section)])];
  // At once, and with the focus where it was before: the next key is for what was chosen.
  const select = (run: () => void) => {
    flushSync(() => weft.open(null));
    leaveClosing();
    flushSync(run);
    if (focusIsLost()) focusFirst();
  };
  // Who goes to a space writes there, wherever the focus was.
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

/** The spaces that the user comes from, then those that were last at work; not the one that is open. */
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
        <span dir="auto" className="palette-title" title={title}>
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
        <span dir="auto" className="palette-title">
          {titleOf(space)}
        </span>
        <span className="palette-note">{space.agentName}</span>
      </>
    ),
  };
}
