import { useEffect, useState } from 'react';
import { toolDetail } from '../../commands/transcript';
import type { FilePlace } from '../../state/shown';
import { callOf } from '../../state/views';
import { useWeft } from '../../state/weft';
import type { ToolCall } from '../../transcript/model';
import { lastName, pathFrom } from '../parts/paths';
import { hintOf } from '../places/PlaceLink';
import { absolute, candidates, namedIn, parsePlace, type Stretch, written } from '../places/place';
import { useExisting } from '../places/useExisting';
import { useFolder } from '../places/usePlaceActions';
import { useReading } from '../transcript/reading';
import '../places/places.css';

/**
 * The file that the title of a call names. Where the call says which files it is about, that is known; else the words of
 * the title are looked for on the disk.
 */
export function useTitlePlace(call: ToolCall, title: string): Stretch | null {
  const { session } = useReading();
  const folder = useFolder(session.spaceId);
  const existing = useExisting(session.spaceId);
  const own = ownPlace(call, title, folder);
  const [found, setFound] = useState<{ title: string; stretch: Stretch } | null>(null);
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
 * Returns the place with the line that the call names. A call of an earlier page brings only its line: then it is pulled, once
 * someone wants to go there.
 */
export function useExactPlace(
  call: ToolCall,
  at: { messageId: string; segment: number; item: number },
  title: string,
  named: Stretch | null,
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

/** Where the title names one of the files that the call says it is about. */
function ownPlace(call: ToolCall, title: string, folder: string): Stretch | null {
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

/** A title in which the path can be clicked. With the keyboard the menu of the row does the same. */
export function Title({ text, named }: { text: string; named: Stretch | null }) {
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
