import { useEffect } from 'react';
import { filesExist } from '../../commands/places';
import { useStore } from '../../state/store';
import { useWeft, type Weft } from '../../state/weft';
import { ExistingFiles } from './existing';

const known = new WeakMap<Weft, Map<string, { files: ExistingFiles; changes: unknown }>>();

/** Returns the checker for paths in the texts of a space. */
export function useExisting(spaceId: string): ExistingFiles {
  const weft = useWeft();
  const changes = useStore(weft.server, (state) => state.changes[spaceId]);
  const files = existingOf(weft, spaceId).files;
  useEffect(() => {
    const one = existingOf(weft, spaceId);
    if (one.changes === changes) return;
    one.changes = changes;
    one.files.changed();
  }, [weft, spaceId, changes]);
  return files;
}

function existingOf(weft: Weft, spaceId: string) {
  let spaces = known.get(weft);
  if (spaces === undefined) {
    spaces = new Map();
    known.set(weft, spaces);
  }
  let one = spaces.get(spaceId);
  if (one === undefined) {
    const files = new ExistingFiles((paths) => filesExist(weft, spaceId, paths));
    one = { files, changes: undefined };
    spaces.set(spaceId, one);
  }
  return one;
}
