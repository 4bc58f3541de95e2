import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { exactLine } from '../parts/exact';
import { pathFrom } from '../parts/paths';
import { useReading } from '../transcript/reading';

/** Returns a function that shortens paths: relative to the space's folder or to home. */
export function useShortPath(): (path: string) => string {
  const { session } = useReading();
  const weft = useWeft();
  const folder = useStore(session.store, (state) => state.space?.folder ?? '');
  const home = useStore(weft.server, (state) => state.about.home);
  return (path) => pathFrom(path, folder, home);
}

/** The same, with every unusual character shown as a code. */
export function usePath(): (path: string) => string {
  const short = useShortPath();
  return (path) => exactLine(short(path));
}
