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
  /** `null` is a line that isn't known yet: the path is no link until then, so that it never opens elsewhere. */
  line?: number | null | undefined;
  column?: number | undefined;
  className?: string;
  /** The displayed path. */
  children: ReactNode;
}

/** A clickable path: a click shows the file, Ctrl or Cmd opens the editor, the middle button copies the path. */
export function PlaceLink({ spaceId, path, line = 0, column = 0, className = '', children }: PlaceLinkProps) {
  const { onClick, onKey, onMenu, menu } = usePlaceActions(spaceId);
  if (line === null) return <span className={className}>{children}</span>;
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

/** Tooltip of a path. */
export function hintOf(text: string): string {
  return `${oneLine(text)}\n${t(isMac ? 'places.hintMac' : 'places.hint')}`;
}

/** Prevents autoscroll with the middle button. */
export function noScrolling(event: { button: number; preventDefault(): void }): void {
  if (event.button === 1) event.preventDefault();
}
