import { useEffect, useMemo } from 'react';
import type { Session, SessionState } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';

/**
 * The session of a space, kept up to date while it is shown. The number of open sessions is limited: see Weft.session.
 */
export function useOpenSession(spaceId: string): { session: Session; status: SessionState['status'] } {
  const weft = useWeft();
  const session = useMemo(() => weft.session(spaceId), [weft, spaceId]);
  useEffect(() => {
    session.watch();
    return () => session.unwatch();
  }, [session]);
  return { session, status: useStore(session.store, (state) => state.status) };
}
