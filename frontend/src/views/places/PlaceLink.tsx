import type { ReactNode } from 'react';
import { t } from '../../i18n';
import { isMac } from '../../keyboard/actions';
import { oneLine } from '../parts/clean';
import { written } from './place';
import { usePlaceActions } from './usePlaceActions';
import './places.css';

interface PlaceLinkProps {
  spaceId: string;
  path: string;
  line?: number | undefined;
  column?: number | undefined;
  className?: string;
  /** The path as it is shown. */
  children: ReactNode;
}

/** A path that opens: a click shows the file, with Ctrl or Cmd the editor, the middle button copies the path. */
export function PlaceLink({ spaceId, path, line = 0, column = 0, className = '', children }: PlaceLinkProps) {
  const { onClick, onKey, onMenu, menu } = usePlaceActions(spaceId);
  const place = { path, line, column };
  return (
    <>
      <button
        type="button"
        className={`place-link ${className}`}
        title={hintOf(written(place))}
        aria-keyshortcuts={isMac ? 'Enter Meta+Enter' : 'Enter Control+Enter'}
        onMouseDown={noScrolling}
        onClick={(event) => onClick(event, place, event.currentTarget)}
        onAuxClick={(event) => onClick(event, place, event.currentTarget)}
        onKeyDown={(event) => onKey(event, place, event.currentTarget)}
        onContextMenu={(event) => onMenu(event, place, event.currentTarget)}
      >
        {children}
      </button>
      {menu}
    </>
  );
}

/** What a place says while the pointer is on it. */
export function hintOf(text: string): string {
  return `${oneLine(text)}\n${t(isMac ? 'places.hintMac' : 'places.hint')}`;
}

/** The middle button scrolls where nobody else wants it. */
export function noScrolling(event: { button: number; preventDefault(): void }): void {
  if (event.button === 1) event.preventDefault();
}
