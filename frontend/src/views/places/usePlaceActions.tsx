import { type KeyboardEvent, type MouseEvent, type ReactNode, useState } from 'react';
import { copyPlace, openInEditor } from '../../commands/places';
import { isMac } from '../../keyboard/actions';
import type { FilePlace } from '../../state/shown';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { MenuPoint } from '../parts/LooseMenu';
import { setOpener } from './opener';
import { PlaceMenu } from './PlaceMenu';
import { absolute, written } from './place';

type Mouse = MouseEvent | globalThis.MouseEvent;
type Key = KeyboardEvent | globalThis.KeyboardEvent;

/** A location, or a function that determines it. */
type Placed = FilePlace | (() => Promise<FilePlace>);

export interface PlaceActions {
  /** Shows the file beside the conversation. */
  preview(place: Placed, from: HTMLElement | null): Promise<void>;
  edit(place: Placed): Promise<void>;
  /** Copies the path, with its line if there is one. */
  copy(place: Placed): Promise<void>;
  /** Handles a mouse click on a location. Returns whether it was handled. */
  onClick(event: Mouse, place: Placed, element: HTMLElement): boolean;
  /** Handles a key on a focused location. Returns whether it was handled. */
  onKey(event: Key, place: Placed, element: HTMLElement): boolean;
  onMenu(event: Mouse, place: FilePlace, element: HTMLElement): void;
  /** The open menu, if any. */
  menu: ReactNode;
}

/** The actions for a file location, the same everywhere. */
export function usePlaceActions(spaceId: string): PlaceActions {
  const weft = useWeft();
  const [menu, setMenu] = useState<{ place: FilePlace; at: MenuPoint; element: HTMLElement } | null>(null);
  const folder = useFolder(spaceId);
  const preview = async (place: Placed, from: HTMLElement | null) => {
    const exact = await exactly(place);
    setOpener(from);
    weft.showFile(spaceId, exact);
  };
  const edit = async (place: Placed) => openInEditor(weft, spaceId, await exactly(place));
  const copy = async (place: Placed) => {
    const exact = await exactly(place);
    await copyPlace(written({ ...exact, path: absolute(exact.path, folder) }));
  };
  return {
    preview,
    edit,
    copy,
    onClick: (event, place, element) => {
      if (event.button === 1) void copy(place);
      else if (event.button !== 0) return false;
      else if (isMac ? event.metaKey : event.ctrlKey) void edit(place);
      else void preview(place, element);
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
    onKey: (event, place, element) => {
      if (event.key !== 'Enter' || event.altKey || event.shiftKey) return false;
      if (isMac ? event.metaKey : event.ctrlKey) void edit(place);
      else void preview(place, element);
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
    onMenu: (event, place, element) => {
      // The user is selecting text to copy it.
      if (window.getSelection()?.isCollapsed === false) return;
      event.preventDefault();
      event.stopPropagation();
      // With the menu key it opens at the element.
      setMenu({ place, element, at: event.button === 2 ? { x: event.clientX, y: event.clientY } : element });
    },
    menu: menu !== null && (
      <PlaceMenu
        at={menu.at}
        back={menu.element}
        onClose={() => setMenu(null)}
        onPreview={() => void preview(menu.place, menu.element)}
        onEdit={() => void edit(menu.place)}
        onCopy={() => void copy(menu.place)}
      />
    ),
  };
}

async function exactly(place: Placed): Promise<FilePlace> {
  return typeof place === 'function' ? place() : place;
}

/** The folder of a space. */
export function useFolder(spaceId: string): string {
  const weft = useWeft();
  return useStore(weft.server, ({ spaces }) => spaces.find(({ id }) => id === spaceId)?.folder ?? '');
}
