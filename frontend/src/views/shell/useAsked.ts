import { useEffect } from 'react';
import { useStore } from '../../state/store';
import { type Asked, useWeft, type Weft } from '../../state/weft';
import { waitingWith } from '../../transcript/waiting';
import { afterDialogs } from '../parts/afterDialogs';
import { enterRequest, wantRequest } from '../tools/requests';

/** Leads to a request that something outside of the window asks for, such as a notification of the desktop: it has the focus, and is in view. */
export function useAsked(): void {
  const weft = useWeft();
  const asked = useStore(weft.asked, (state) => state);
  useEffect(() => {
    if (asked.spaceId === '') return;
    weft.asked.set({ spaceId: '', requestId: '' });
    // A dialog that closes gives the focus back at its end, which it reaches only once the window is shown.
    afterDialogs(() => lead(weft, asked));
  }, [weft, asked]);
}

function lead(weft: Weft, { spaceId, requestId }: Asked): void {
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
