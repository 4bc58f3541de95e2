import { useEffect, useState } from 'react';
import { toolDetail } from '../../commands/transcript';
import type { FilePlace } from '../../state/shown';
import { callOf } from '../../state/views';
import { useWeft } from '../../state/weft';
import type { ToolCall } from '../../transcript/model';
import { lastName, pathFrom } from '../parts/paths';
import { hintOf } from '../places/PlaceLink';
import { absolute, candidates, namedIn, parsePlace, type TextRange, written } from '../places/place';
import { useExisting } from '../places/useExisting';
import { useFolder } from '../places/usePlaceActions';
import { useReading } from '../transcript/reading';
import '../places/places.css';

/**
 * The file named in the title of a call. It is known if the call reports its files; otherwise words of the title are
 * checked on disk.
 */
export function useTitlePlace(call: ToolCall, title: string): TextRange | null {
  const { session } = useReading();
  const folder = useFolder(session.spaceId);
  const existing = useExisting(session.spaceId);
  const own = ownPlace(call, title, folder);
  const [found, setFound] = useState<{ title: string; stretch: TextRange } | null>(null);
  const known = own !== null;
  useEffect(() => {
    if (known) return;
    let wanted = true;
    const all = candidates(title);
    void Promise.all(all.map(({ place }) => existing.exists(place.path))).then((exist) => {
      const stretch = all[exist.indexOf(true)];
      if (wanted && stretch !== undefined) setFound({ title, stretch });
    });
    return () => {
      wanted = false;
    };
  }, [title, known, existing]);
  return own ?? (found?.title === title ? found.stretch : null);
}

/**
 * Returns the location with the line that the call reports. A call of an earlier page only has its summary line: its
 * details are loaded when the user goes there.
 */
export function useExactPlace(
  call: ToolCall,
  at: { messageId: string; segment: number; item: number },
  title: string,
  named: TextRange | null,
): FilePlace | (() => Promise<FilePlace>) | null {
  const weft = useWeft();
  const { session } = useReading();
  const folder = useFolder(session.spaceId);
  if (named === null || call.whole || call.place !== undefined || named.place.line > 0)
    return named?.place ?? null;
  return async () => {
    try {
      const full = callOf(await toolDetail(weft, { spaceId: session.spaceId, ...at }), true);
      return ownPlace(full, title, folder)?.place ?? named.place;
    } catch {
      return named.place;
    }
  };
}

/** Finds one of the call's reported files in its title. */
function ownPlace(call: ToolCall, title: string, folder: string): TextRange | null {
  const places: { path: string; line?: number | undefined }[] = [
    ...(call.locations ?? []),
    ...(call.place === undefined ? [] : [call.place]),
    ...(call.content ?? []).flatMap(({ type, path, line }) =>
      type === 'diff' && path !== undefined ? [{ path, line }] : [],
    ),
  ].slice(0, 10);
  for (const { path, line = 0 } of places) {
    const found = namedIn(title, [path, pathFrom(absolute(path, folder), folder, ''), lastName(path)]);
    if (found === null) continue;
    const told = parsePlace(title.slice(found.from, found.to));
    return { ...found, place: { path, line: told.line || line, column: told.column } };
  }
  return null;
}

/** A title with a clickable path. With the keyboard, the menu of the row does the same. */
export function Title({ text, named }: { text: string; named: TextRange | null }) {
  if (named === null) return text;
  const place: FilePlace = named.place;
  return (
    <>
      {text.slice(0, named.from)}
      <span className="title-place" title={hintOf(written(place))}>
        {text.slice(named.from, named.to)}
      </span>
      {text.slice(named.to)}
    </>
  );
}
