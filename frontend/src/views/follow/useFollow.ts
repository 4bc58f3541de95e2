import { useCallback, useEffect, useRef, useState } from 'react';
import { asCommandError } from '../../commands/failure';
import { readSpaceFile } from '../../commands/spaces';
import { useVisited } from '../../queries/changes';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { FileView, Place } from '../../transport/api';
import { visited } from './places';

export interface Followed {
  /** The shown file and the location in it. */
  place: Place | null;
  /** Files that the agent worked on, most recent first. */
  places: readonly Place[];
  view: FileView | null;
  error: string;
  following: boolean;
  /** Shows a file that the agent worked on, and stops following. */
  pick(path: string): void;
  leave(): void;
  again(): void;
}

/**
 * Follows the file that an agent works on. One request is in flight at a time; of the moves that arrive meanwhile only
 * the last one is read, so that rapid moves stay cheap.
 */
export function useFollow(spaceId: string): Followed {
  const weft = useWeft();
  const latest = useStore(weft.server, (state) => state.places[spaceId]);
  const changed = useStore(weft.server, (state) => state.changes[spaceId]);
  const [places, setPlaces] = useState<readonly Place[]>([]);
  const [following, setFollowing] = useState(true);
  const [chosen, setChosen] = useState<Place | null>(null);
  const [shown, setShown] = useState<{ place: Place; view: FileView | null; error: string } | null>(null);
  const wanted = useRef<Place | null>(null);
  const busy = useRef(false);

  const { data: known } = useVisited(spaceId);
  useEffect(() => {
    if (known !== undefined) setPlaces((now) => known.concat(now).reduce(visited, []));
  }, [known]);
  useEffect(() => {
    if (latest !== undefined) setPlaces((now) => visited(now, latest));
  }, [latest]);

  const read = useCallback(async () => {
    if (busy.current) return;
    busy.current = true;
    while (wanted.current !== null) {
      const place = wanted.current;
      wanted.current = null;
      try {
        const { path, line } = place;
        const view = await readSpaceFile(weft, spaceId, path, line);
        setShown({ place, view, error: '' });
      } catch (failure) {
        setShown({ place, view: null, error: asCommandError(failure).message });
      }
    }
    busy.current = false;
  }, [weft, spaceId]);

  const target = following ? (places.at(-1) ?? null) : chosen;
  // biome-ignore lint/correctness/useExhaustiveDependencies: reload when a change is reported
  useEffect(() => {
    if (target === null) return;
    wanted.current = target;
    void read();
  }, [target, changed, read]);

  return {
    place: shown?.place ?? target,
    places: [...places].reverse(),
    view: shown?.view ?? null,
    error: shown?.error ?? '',
    following,
    pick: (path) => {
      setChosen(places.find((place) => place.path === path) ?? null);
      setFollowing(false);
    },
    leave: () => {
      if (!following || target === null) return;
      setChosen(target);
      setFollowing(false);
    },
    again: () => setFollowing(true),
  };
}
