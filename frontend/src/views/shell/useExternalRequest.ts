import { useEffect } from 'react';
import { useStore } from '../../state/store';
import { type RequestTarget, useWeft, type Weft } from '../../state/weft';
import { waitingWith } from '../../transcript/waiting';
import { afterDialogs } from '../parts/afterDialogs';
import { enterRequest, wantRequest } from '../tools/requests';

/**
 * Opens a request on behalf of something outside the window, such as a desktop notification: focuses it and scrolls to
 * it.
 */
export function useExternalRequest(): void {
  const weft = useWeft();
  const asked = useStore(weft.externalRequest, (state) => state);
  useEffect(() => {
    if (asked.spaceId === '') return;
    weft.externalRequest.set({ spaceId: '', requestId: '' });
    // A closing dialog returns the focus at its end, which it reaches only once the window is visible.
    afterDialogs(() => openRequest(weft, asked));
  }, [weft, asked]);
}

function openRequest(weft: Weft, { spaceId, requestId }: RequestTarget): void {
  const { screen, selected } = weft.shown.get();
  const here = screen === 'space' && selected === spaceId;
  if (here && requestId !== '' && enterRequest(requestId)) return;
  if (requestId !== '') wantRequest(spaceId, requestId);
  weft.select(spaceId);
  if (requestId === '') return;
  const { store } = weft.session(spaceId);
  // It may be far from the end, where a conversation opens.
  const go = () => {
    const at = waitingWith(store.get().conversation, requestId);
    if (at === null) return false;
    const { messageId, segment, item } = at;
    weft.goTo(spaceId, { messageId, segment, item });
    return true;
  };
  if (go()) return;
  const stop = store.subscribe(() => {
    const { screen, selected } = weft.shown.get();
    if (screen !== 'space' || selected !== spaceId || store.get().conversation.messages.length === 0) return;
    stop();
    go();
  });
}
