import { type ReactNode, useMemo } from 'react';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { unstyled } from '../../transcript/style';
import type { Fork } from '../../transport/api';
import { noSpot } from '../find/spot';
import { disclosuresOf } from '../transcript/memory';
import { type Reading, ReadingContext } from '../transcript/reading';

const noForks: ReadonlyMap<string, Fork> = new Map();
const nothing = () => {};

/** Provides what parts of a transcript need when rendered outside of one, without automatic scrolling. */
export function PaneReading({ session, children }: { session: Session; children: ReactNode }) {
  const weft = useWeft();
  const thoughts = useStore(weft.server, (state) => state.appearance.thoughts);
  const looks = useStore(weft.server, (state) => state.toolCalls.looks);
  const reading = useMemo<Reading>(
    () => ({
      session,
      disclosures: disclosuresOf(session.spaceId),
      thoughts,
      forks: noForks,
      voices: null,
      style: { ...unstyled, looks },
      spot: noSpot,
      reveal: nothing,
      hold: nothing,
    }),
    [session, thoughts, looks],
  );
  return <ReadingContext value={reading}>{children}</ReadingContext>;
}
