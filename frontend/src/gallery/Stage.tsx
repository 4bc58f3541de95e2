import { type ReactNode, useMemo } from 'react';
import { Weft, WeftContext } from '../state/weft';
import { TooltipContext } from '../views/parts/Tooltip';
import { TooltipPopup } from '../views/parts/TooltipPopup';
import { GalleryTransport, type Scene } from './backend';
import { answers } from './data/answers';

interface StageProps {
  scene?: Scene;
  /** Prepares the state once the backend has been read. */
  prepare?(weft: Weft): void;
  children: ReactNode;
}

const nothing: Scene = {};

/** Renders components with a gallery backend and the providers that they need. */
export function Stage({ scene = nothing, prepare, children }: StageProps) {
  // The backend is created once: the props of a stage don't change.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
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
      <TooltipContext value={TooltipPopup}>{children}</TooltipContext>
    </WeftContext>
  );
}
