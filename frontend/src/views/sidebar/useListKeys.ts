import { type KeyboardEvent, useRef } from 'react';
import { movePin, orderProjects, pinSpaces, removeSpaces } from '../../commands/list';
import { keyOf } from '../../keyboard/layout';
import { type Line, movedBy, projectOf, projectsOf, typeAhead } from '../../state/list';
import { useWeft } from '../../state/weft';
import type { Space } from '../../transport/api';
import { titleOf } from '../parts/spaceTitle';
import { groupName } from './GroupRow';
import { pickedOf } from './picked';
import type { Picks } from './useListPicks';

interface ListKeys {
  lines: readonly Line[];
  archive: boolean;
  focusLine(at: number): void;
  toggle(key: string, open: boolean): void;
  pick: Picks;
}

/** Pause that ends a type-ahead text, in ms. */
const pause = 700;
const page = 10;

/** Keyboard handling of the space list. Typing finds a line; P, T and X, as the first letter, are shortcuts. */
export function useListKeys({ lines, archive, focusLine, toggle, pick }: ListKeys) {
  const weft = useWeft();
  const typed = useRef({ text: '', at: 0 });

  /** The spaces an action applies to: the selected ones, or the focused one. */
  const meant = (space: Space): readonly Space[] => {
    const { picked } = weft.list.get();
    return picked.size > 0 ? pickedOf(lines, picked) : [space];
  };

  const move = (at: number, by: 1 | -1): boolean => {
    const line = lines[at];
    if (line?.kind === 'space' && line.group === 'pinned') {
      const pins = lines.flatMap((one) => (one.kind === 'space' && one.group === 'pinned' ? [one.key] : []));
      void movePin(weft, pins, line.key, by);
      return true;
    }
    const project = line === undefined ? null : projectOf(line);
    if (project !== null) {
      const projects = projectsOf(lines);
      const moved = movedBy(projects, project, by);
      if (moved !== projects) void orderProjects(weft, moved);
      return true;
    }
    return false;
  };

  /** Left and right: open, close, and move between a group and its content. */
  const aside = (at: number, out: boolean): void => {
    const line = lines[at];
    if (line === undefined) return;
    const opens = line.kind === 'group' || line.branches > 0;
    const key = line.kind === 'group' ? line.key : `tree:${line.tree}`;
    if (opens && line.open === out) toggle(key, !out);
    else if (!out && opens) focusLine(at + 1);
    else if (out && line.kind === 'space') {
      const above = lines
        .slice(0, at)
        .findLastIndex((one) =>
          line.nested ? one.kind === 'space' && !one.nested : one.kind === 'group' && one.key === line.group,
        );
      if (above >= 0) focusLine(above);
    }
  };

  /** Type-ahead. */
  const type = (letter: string, at: number): void => {
    const now = performance.now();
    const before = now - typed.current.at < pause ? typed.current.text : '';
    typed.current = { text: before + letter, at: now };
    const words = lines.map((line) => (line.kind === 'group' ? groupName(line) : titleOf(line.space)));
    const to = typeAhead(words, typed.current.text, at);
    if (to >= 0) focusLine(to);
  };

  const letter = (key: string, place: string, line: Line, at: number) => {
    const typing = performance.now() - typed.current.at < pause && typed.current.text !== '';
    if (!typing && line.kind === 'space' && place === 'x') return pick.toggle(line.key);
    if (!typing && line.kind === 'space' && !archive) {
      const spaces = meant(line.space);
      const ids = spaces.map(({ id }) => id);
      switch (place) {
        case 'p':
          return void pinSpaces(
            weft,
            ids,
            !ids.every((id) => (weft.server.get().order.pins ?? []).includes(id)),
          );
        case 't':
          return weft.dialogs.set({ tags: ids });
      }
    }
    type(key, at);
  };

  return (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    if (event.defaultPrevented || event.nativeEvent.isComposing) return;
    if (!target.matches('.space-button, .group-button')) return;
    const own = target.closest<HTMLElement>('[data-key]')?.dataset['key'];
    const at = lines.findIndex(({ key }) => key === own);
    const line = lines[at];
    if (line === undefined) return;
    const { key, altKey, shiftKey } = event;
    const mod = event.ctrlKey || event.metaKey;
    const done = () => {
      event.preventDefault();
      event.stopPropagation();
    };
    const go = (to: number) => {
      done();
      const next = Math.max(0, Math.min(to, lines.length - 1));
      const reached = lines[next];
      if (shiftKey && line.kind === 'space' && reached?.kind === 'space') {
        if (weft.list.get().picked.size === 0) pick.toggle(line.key);
        pick.to(reached.key);
      }
      focusLine(next);
    };
    if (altKey) {
      if ((key === 'ArrowUp' || key === 'ArrowDown') && !mod && move(at, key === 'ArrowUp' ? -1 : 1)) done();
      return;
    }
    if (mod) {
      if (keyOf(event) === 'a') {
        done();
        pick.all();
      } else if (key === ' ' && line.kind === 'space') {
        done();
        pick.toggle(line.key);
      }
      return;
    }
    switch (key) {
      case 'ArrowUp':
        return go(at - 1);
      case 'ArrowDown':
        return go(at + 1);
      case 'Home':
        return go(0);
      case 'End':
        return go(lines.length - 1);
      case 'PageUp':
        return go(at - page);
      case 'PageDown':
        return go(at + page);
      case 'ArrowLeft':
      case 'ArrowRight':
        done();
        return aside(at, key === 'ArrowLeft');
      case 'Escape':
        if (weft.list.get().picked.size === 0) return;
        done();
        return pick.clear();
      case 'F2':
        done();
        if (line.kind === 'space' && !archive) weft.shown.set({ renaming: line.space.id });
        return;
      case 'Delete':
        done();
        if (line.kind === 'space') void removeSpaces(weft, meant(line.space));
        return;
      case 'ContextMenu':
        done();
        target.closest('[data-key]')?.querySelector<HTMLElement>('.space-more')?.click();
        return;
    }
    // Other keys are global shortcuts.
    if (key.length !== 1 || key === ' ' || key === '?' || key === '/') return;
    done();
    letter(key, keyOf(event), line, at);
  };
}
