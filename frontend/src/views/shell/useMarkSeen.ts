import { useEffect, useSyncExternalStore } from 'react';
import { markSeen } from '../../commands/spaces';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';

function inFront(): boolean {
  return document.visibilityState === 'visible' && document.hasFocus();
}

function subscribe(listener: () => void): () => void {
  const events = [
    [window, 'focus'],
    [window, 'blur'],
    [document, 'visibilitychange'],
  ] as const;
  for (const [target, name] of events) target.addEventListener(name, listener);
  return () => {
    for (const [target, name] of events) target.removeEventListener(name, listener);
  };
}

/** Whether the window is in front. */
export function useInFront(): boolean {
  return useSyncExternalStore(subscribe, inFront);
}

/** Marks runs that end while the user is watching as seen. */
export function useMarkSeen(): void {
  const weft = useWeft();
  const front = useInFront();
  const open = useStore(weft.shown, ({ screen, selected }) => (screen === 'space' ? selected : null));
  const unseen = useStore(
    weft.server,
    ({ spaces }) => spaces.find(({ id, unseen }) => unseen && id === open)?.id,
  );
  useEffect(() => {
    if (front && unseen !== undefined) void markSeen(weft, unseen);
  }, [weft, front, unseen]);
}
