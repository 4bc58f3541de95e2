import { Pin } from 'lucide-react';
import { type PointerEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { orderProjects, pinSpaces } from '../../commands/list';
import { t } from '../../i18n';
import { type Line, projectOf, projectsOf } from '../../state/list';
import { useWeft } from '../../state/weft';

/** What a drag would do if it ended now. */
type Drop =
  | { do: 'pin'; before: string; at: string; half: 'before' | 'after' }
  | { do: 'unpin' }
  | { do: 'project'; before: string; last: boolean; at: string; half: 'before' | 'after' };

interface Dragged {
  line: Line;
  /** The dragged spaces; empty for a project. */
  ids: readonly string[];
  drop: Drop | null;
}

/** Distance in pixels from which a press counts as a drag. */
const slack = 6;
/** Distance in pixels from an end of the list at which it scrolls. */
const edge = 28;

interface ListDrag {
  dragging: boolean;
  handlers: { onPointerDown(event: PointerEvent<HTMLElement>): void };
  /** The drop target for pinning while no space is pinned. */
  dropPin: ReactNode;
}

/** Drags spaces within, into and out of the pinned ones, and reorders projects. Escape cancels. */
export function useListDrag({
  lines,
  box,
  enabled,
}: {
  lines: readonly Line[];
  box: RefObject<HTMLDivElement | null>;
  enabled: boolean;
}): ListDrag {
  const weft = useWeft();
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const latest = useRef({ lines, dragged });
  latest.current = { lines, dragged };
  const stop = useRef<() => void>(() => {});
  useEffect(() => () => stop.current(), []);

  const drop = ({ drop, ids, line }: Dragged): void => {
    const { lines } = latest.current;
    if (drop?.do === 'pin') void pinSpaces(weft, ids, true, drop.before);
    else if (drop?.do === 'unpin') void pinSpaces(weft, ids, false);
    else if (drop?.do === 'project') {
      const moved = projectOf(line);
      if (moved === null) return;
      const others = projectsOf(lines).filter((project) => project !== moved);
      const at = drop.last ? -1 : others.indexOf(drop.before);
      void orderProjects(weft, others.toSpliced(at < 0 ? others.length : at, 0, moved));
    }
  };

  const begin = (down: PointerEvent<HTMLElement>, line: Line): void => {
    const { picked } = weft.list.get();
    const many = line.kind === 'space' && picked.has(line.key);
    const ids = line.kind === 'space' ? (many ? [...picked] : [line.key]) : [];
    const { clientX: x, clientY: y } = down;
    let began = false;
    let frame = 0;
    const end = () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', up);
      window.removeEventListener('pointercancel', end);
      window.removeEventListener('keydown', key, { capture: true });
      setDragged(null);
    };
    const look = (event: globalThis.PointerEvent) =>
      setDragged({ line, ids, drop: dropAt(event.clientX, event.clientY, line, ids, latest.current.lines) });
    const move = (event: globalThis.PointerEvent) => {
      if (!began && Math.hypot(event.clientX - x, event.clientY - y) < slack) return;
      began = true;
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => scroll(event));
      look(event);
    };
    const scroll = (event: globalThis.PointerEvent) => {
      const list = box.current;
      if (list === null) return;
      const { top, bottom } = list.getBoundingClientRect();
      const by = event.clientY < top + edge ? -6 : event.clientY > bottom - edge ? 6 : 0;
      if (by === 0) return;
      list.scrollTop += by;
      look(event);
      frame = requestAnimationFrame(() => scroll(event));
    };
    const up = () => {
      const { dragged } = latest.current;
      end();
      if (!began) return;
      // Suppresses the click after a drag.
      const swallow = (event: MouseEvent) => {
        event.preventDefault();
        event.stopPropagation();
      };
      window.addEventListener('click', swallow, { capture: true, once: true });
      setTimeout(() => window.removeEventListener('click', swallow, { capture: true }));
      if (dragged !== null) drop(dragged);
    };
    const key = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !began) return;
      event.preventDefault();
      event.stopPropagation();
      end();
    };
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', up);
    window.addEventListener('pointercancel', end);
    window.addEventListener('keydown', key, { capture: true });
    stop.current = end;
  };

  useMarks(box, dragged);
  const pins = lines.some((line) => line.kind === 'group' && line.of === 'pinned');
  return {
    dragging: dragged !== null,
    handlers: {
      onPointerDown: (event) => {
        // Touch scrolls.
        if (!enabled || event.button !== 0 || event.pointerType === 'touch') return;
        const target = (event.target as HTMLElement).closest('.space-button, .group-button');
        const key = target?.closest<HTMLElement>('[data-key]')?.dataset['key'];
        const line = lines.find((one) => one.key === key);
        if (line === undefined || (line.kind === 'group' && line.of !== 'project')) return;
        begin(event, line);
      },
    },
    dropPin:
      dragged?.line.kind === 'space' && !pins ? (
        <p className="list-drop" data-drop-pin data-over={dragged.drop?.do === 'pin' || undefined}>
          <Pin size={13} aria-hidden />
          {t('list.dropToPin')}
        </p>
      ) : null,
  };
}

/** Returns what a drop at a point of the window would do. */
function dropAt(
  x: number,
  y: number,
  line: Line,
  ids: readonly string[],
  lines: readonly Line[],
): Drop | null {
  const element = document.elementFromPoint(x, y);
  if (element?.closest('[data-drop-pin]') !== null && element !== null && line.kind === 'space')
    return { do: 'pin', before: '', at: '', half: 'after' };
  const row = element?.closest<HTMLElement>('[data-key]') ?? null;
  const over = lines.find(({ key }) => key === row?.dataset['key']);
  if (row === null || over === undefined) return null;
  const { top, height } = row.getBoundingClientRect();
  const half = y < top + height / 2 ? 'before' : 'after';
  if (line.kind === 'group') return projectDrop(line, over, half, lines);
  if (over.kind === 'group' && over.of === 'pinned') {
    const first = lines.find(
      (one) => one.kind === 'space' && one.group === 'pinned' && !ids.includes(one.key),
    );
    return { do: 'pin', before: first?.key ?? '', at: over.key, half: 'after' };
  }
  if (over.kind === 'space' && over.group === 'pinned') {
    const pins = lines.filter((one) => one.kind === 'space' && one.group === 'pinned');
    const left = pins.filter(({ key }) => !ids.includes(key) || key === over.key);
    const at = left.findIndex(({ key }) => key === over.key) + (half === 'before' ? 0 : 1);
    const before = left.slice(at).find(({ key }) => !ids.includes(key))?.key ?? '';
    return { do: 'pin', before, at: over.key, half };
  }
  if (line.group === 'pinned') return { do: 'unpin' };
  return line.alone && ids.length === 1 ? projectDrop(line, over, half, lines) : null;
}

const groupKey = (line: Line) => (line.kind === 'group' ? line.key : line.group);

function projectDrop(line: Line, over: Line, half: 'before' | 'after', lines: readonly Line[]): Drop | null {
  const key = groupKey(over);
  const target = lines.find((one) => groupKey(one) === key && projectOf(one) !== null);
  const project = target === undefined ? null : projectOf(target);
  if (target === undefined || project === null || key === groupKey(line)) return null;
  const projects = projectsOf(lines).filter((one) => one !== projectOf(line));
  // Over the rows of a group, the drop position is after the group.
  const after = over.key !== target.key || half === 'after';
  const next = projects[projects.indexOf(project) + 1];
  const end = lines.findLast((one) => groupKey(one) === key)?.key ?? target.key;
  return {
    do: 'project',
    before: (after ? next : project) ?? '',
    last: after && next === undefined,
    at: after ? end : target.key,
    half: after ? 'after' : 'before',
  };
}

/** Marks the drop position directly on the line element, so that no other line re-renders. */
function useMarks(box: RefObject<HTMLDivElement | null>, dragged: Dragged | null): void {
  const drop = dragged?.drop ?? null;
  const at = drop === null || drop.do === 'unpin' ? '' : drop.at;
  const half = drop === null || drop.do === 'unpin' ? '' : drop.half;
  const keys = dragged === null ? '' : [dragged.line.key, ...dragged.ids].join('\n');
  useEffect(() => {
    const list = box.current;
    if (list === null) return;
    const row = (key: string) => list.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
    const moved = keys.split('\n').flatMap((key) => (key === '' ? [] : (row(key) ?? [])));
    for (const one of moved) one.dataset['moved'] = '';
    const target = at === '' ? null : row(at);
    if (target !== null) target.dataset['drop'] = half;
    return () => {
      for (const one of moved) delete one.dataset['moved'];
      if (target !== null) delete target.dataset['drop'];
    };
  }, [box, keys, at, half]);
}
