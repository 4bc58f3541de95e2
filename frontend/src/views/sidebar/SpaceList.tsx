import {
  createContext,
  type MouseEvent,
  type Ref,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { type Line, lineOf, type SpaceLine } from '../../state/list';
import { setOpened } from '../../state/listState';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { returnFocus } from '../parts/returnFocus';
import { GroupRow } from './GroupRow';
import { SpaceRow } from './SpaceRow';
import { useListDrag } from './useListDrag';
import { useListKeys } from './useListKeys';
import { useListPicks } from './useListPicks';

interface SpaceListProps {
  label: string;
  lines: readonly Line[];
  /** The archive, which has no manual order. */
  archive?: boolean;
  /** The pointer or the focus is in the list, so it must not scroll on its own. */
  held?: boolean;
}

/** Most animated marks: if more spaces run, animating each would cost time in every frame. */
const turning = 4;

/** Most frames to wait until a line outside the view is rendered. */
const mostFrames = 20;

/** The spaces and their groups as a virtual list. It has a single tab stop; the arrow keys move between lines. */
export function SpaceList({ label, lines, archive = false, held = false }: SpaceListProps) {
  const weft = useWeft();
  const selected = useStore(weft.shown, (state) => (state.screen === 'space' ? state.selected : null));
  const renaming = useStore(weft.shown, (state) => state.renaming);
  const picked = useStore(weft.list, (state) => state.picked);
  const box = useRef<HTMLDivElement>(null);
  const handle = useRef<VirtualizerHandle>(null);
  const [active, setActive] = useState('');
  /** The line to focus once it is rendered. */
  const wanted = useRef('');
  /** The focused line and its index. */
  const focused = useRef<{ key: string; at: number } | null>(null);

  const own = lines.findIndex(({ key }) => key === active);
  const shown = selected === null ? -1 : lineOf(lines, selected);
  const stop = own >= 0 ? own : Math.max(0, shown);
  const renamed = renaming === null ? -1 : lines.findIndex(({ key }) => key === renaming);
  const mounted = useMemo(() => [...new Set([stop, renamed])].filter((at) => at >= 0), [stop, renamed]);
  const buttonOf = useCallback(
    (key: string) =>
      box.current?.querySelector<HTMLElement>(
        `[data-key="${CSS.escape(key)}"] :is(.space-button, .group-button)`,
      ),
    [],
  );

  const focusLine = useCallback(
    (at: number) => {
      const key = lines[at]?.key;
      if (key === undefined) return;
      wanted.current = key;
      setActive(key);
      handle.current?.scrollToIndex(at, { align: 'nearest' });
      const button = buttonOf(key);
      button?.focus({ preventScroll: true });
      if (button != null && document.activeElement === button) wanted.current = '';
    },
    [lines, buttonOf],
  );
  // A new line is hidden until it is measured, and can't take the focus before that.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the wanted line is rendered with the active one
  useLayoutEffect(() => {
    let frame = 0;
    const reach = (tries: number) => {
      const key = wanted.current;
      if (key === '' || tries === 0) return;
      // The user has moved the focus elsewhere meanwhile.
      const has = document.activeElement;
      if (has !== null && has !== document.body && box.current?.contains(has) !== true) {
        wanted.current = '';
        return;
      }
      const button = buttonOf(key);
      button?.focus({ preventScroll: true });
      if (button !== undefined && button !== null && document.activeElement === button) wanted.current = '';
      else frame = requestAnimationFrame(() => reach(tries - 1));
    };
    reach(mostFrames);
    return () => cancelAnimationFrame(frame);
  }, [active, lines]);

  // The focused line may leave the list or move to another group: then its neighbor gets the focus.
  useLayoutEffect(() => {
    const was = focused.current;
    if (was === null || lines.length === 0) return;
    const at = lines.findIndex(({ key }) => key === was.key);
    if (at >= 0) {
      was.at = at;
      return;
    }
    const next = lines[Math.min(was.at, lines.length - 1)];
    if (next === undefined) return;
    focused.current = null;
    setActive(next.key);
    returnFocus(() => buttonOf(next.key));
  }, [lines, buttonOf]);

  // The space being renamed may be in a closed group or tree.
  useLayoutEffect(() => {
    if (renaming === null || renamed >= 0) return;
    const within = lines[lineOf(lines, renaming)];
    if (within !== undefined)
      setOpened(weft.list, within.kind === 'group' ? within.key : `tree:${within.tree}`, true);
  }, [renaming, renamed, lines, weft]);

  // Scrolls the visible or renamed space into view: when it appears, when it moves, and when the list gets smaller.
  const last = useRef({ selected: '', renaming: '', shown: -1 });
  useLayoutEffect(() => {
    const before = last.current;
    const came = before.selected !== selected;
    // In a held list, it moves only through actions of the user, who is looking at something else then.
    if (held && !came && before.renaming === renaming) return;
    last.current = { selected: selected ?? '', renaming: renaming ?? '', shown };
    if (renamed >= 0 && before.renaming !== renaming) {
      handle.current?.scrollToIndex(renamed, { align: 'nearest' });
    } else if (shown >= 0 && (came || before.shown !== shown) && focused.current === null) {
      handle.current?.scrollToIndex(shown, { align: 'nearest' });
    }
  }, [selected, renaming, shown, renamed, held]);
  const latest = useRef({ shown, held });
  latest.current = { shown, held };
  useEffect(() => {
    const list = box.current;
    if (list === null) return;
    let height = list.clientHeight;
    const watch = new ResizeObserver(() => {
      const smaller = list.clientHeight < height;
      height = list.clientHeight;
      const { shown, held } = latest.current;
      if (smaller && !held && shown >= 0) handle.current?.scrollToIndex(shown, { align: 'nearest' });
    });
    watch.observe(list);
    return () => watch.disconnect();
  }, []);

  const toggle = useCallback((key: string, open: boolean) => setOpened(weft.list, key, open), [weft]);
  const toggleTree = useCallback((tree: string, open: boolean) => toggle(`tree:${tree}`, open), [toggle]);
  const pick = useListPicks(lines);
  const onKeyDown = useListKeys({ lines, archive, focusLine, toggle, pick });
  const drag = useListDrag({ lines, box, enabled: !archive });

  const onClickCapture = (event: MouseEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    const key = target.closest('.space-button')?.closest<HTMLElement>('[data-key]')?.dataset['key'];
    if (key === undefined) return;
    const many = event.ctrlKey || event.metaKey;
    if (!many && !event.shiftKey && picked.size === 0) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.shiftKey) pick.to(key);
    else pick.toggle(key);
  };

  const running = lines.filter((line) => line.kind === 'space' && line.mark === 'running').length;
  const parts = useMemo(() => ({ label, lines }), [label, lines]);
  return (
    <ListContext value={parts}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: handles keys of the buttons inside */}
      <div
        ref={box}
        className="sidebar-list"
        data-still={running > turning || undefined}
        data-dragging={drag.dragging || undefined}
        onKeyDown={onKeyDown}
        onClickCapture={onClickCapture}
        onFocus={(event) => {
          const key = (event.target as HTMLElement).closest<HTMLElement>('[data-key]')?.dataset['key'];
          if (key === undefined) return;
          focused.current = { key, at: lines.findIndex((line) => line.key === key) };
          if (key !== active) setActive(key);
        }}
        onBlur={(event) => {
          // A menu and its dialogs restore the focus; a removed element doesn't count as blurred.
          const to = event.relatedTarget as Element | null;
          if (
            to !== null &&
            !event.currentTarget.contains(to) &&
            to.closest('[role=menu], [role=dialog]') === null
          )
            focused.current = null;
        }}
        {...drag.handlers}
      >
        {drag.dropPin}
        <Virtualizer
          ref={handle}
          data={lines}
          as={List}
          item={Item}
          scrollRef={box}
          bufferSize={300}
          keepMounted={mounted}
        >
          {(line: Line, at: number) => {
            const tabIndex = at === stop ? 0 : -1;
            if (line.kind === 'group')
              return (
                <GroupRow
                  key={line.key}
                  line={line}
                  chosen={!line.open && selected !== null && line.within.includes(selected)}
                  tabIndex={tabIndex}
                  onToggle={toggle}
                />
              );
            return (
              <SpaceRow
                key={line.key}
                {...rowOf(line)}
                chosen={isChosen(line, selected)}
                picked={picked.has(line.space.id)}
                picking={picked.size > 0}
                tabIndex={tabIndex}
                onToggle={toggleTree}
              />
            );
          }}
        </Virtualizer>
      </div>
    </ListContext>
  );
}

const rowOf = ({ space, nested, mark, branches, open, asks, inProject, pinned, group }: SpaceLine) => ({
  ...{ space, nested, mark, branches, open, asks, inProject },
  pinned: pinned && group !== 'pinned',
});

const isChosen = ({ space, open, within }: SpaceLine, selected: string | null) =>
  selected !== null && (space.id === selected || (!open && within.includes(selected)));

const ListContext = createContext<{ label: string; lines: readonly Line[] }>({ label: '', lines: [] });

interface ListProps {
  style: React.CSSProperties;
  children: React.ReactNode;
  ref?: Ref<HTMLUListElement>;
}

function List({ style, children, ref }: ListProps) {
  const { label } = useContext(ListContext);
  return (
    <ul ref={ref} style={style} aria-label={label}>
      {children}
    </ul>
  );
}

interface ItemProps {
  style: React.CSSProperties;
  index: number;
  children: React.ReactNode;
  ref?: Ref<HTMLLIElement>;
}

function Item({ style, index, children, ref }: ItemProps) {
  const { lines } = useContext(ListContext);
  const line = lines[index];
  return (
    <li
      ref={ref}
      style={style}
      className={line?.kind === 'group' ? 'list-group' : undefined}
      data-apart={(line?.kind === 'space' && line.apart) || undefined}
      data-key={line?.key}
      aria-setsize={lines.length}
      aria-posinset={index + 1}
    >
      {children}
    </li>
  );
}
