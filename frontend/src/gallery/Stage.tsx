import { type ReactNode, useMemo } from 'react';
import { Weft, WeftContext } from '../state/weft';
import { HintContext } from '../views/parts/Hint';
import { Tip } from '../views/parts/Tip';
import { GalleryTransport, type Scene } from './backend';
import { answers } from './data/answers';

interface StageProps {
  scene?: Scene;
  /** Prepares what is shown, once the backend has been read. */
  prepare?(weft: Weft): void;
  children: ReactNode;
}

const nothing: Scene = {};

/** Components over a backend of the gallery, with what all of them need around them. */
export function Stage({ scene = nothing, prepare, children }: StageProps) {
  // A stage is made once: what it is given does not change.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const weft = useMemo(() => {
    const made = new Weft(new GalleryTransport(scene, answers(scene)));
    made.start();
    if (prepare !== undefined) {
      const stop = made.server.subscribe(() => {
        if (made.server.get().status !== 'ready') return;
        stop();
        prepare(made);
      });
    }
    return made;
  }, []);
  return (
    <WeftContext value={weft}>
      <HintContext value={Tip}>{children}</HintContext>
    </WeftContext>
  );
}
