import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { oneLine } from '../parts/clean';
import { pathFrom } from '../parts/paths';
import { useReading } from '../transcript/reading';

/** Paths of tool calls as they are shown: seen from the space's folder, or from home. */
export function usePath(): (path: string) => string {
  const { session } = useReading();
  const weft = useWeft();
  const folder = useStore(session.store, (state) => state.space?.folder ?? '');
  const home = useStore(weft.store, (state) => state.about.home);
  return (path) => oneLine(pathFrom(path, folder, home));
}
