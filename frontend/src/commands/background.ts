import { t } from '../i18n';
import type { Weft } from '../state/weft';
import type { CloseWindowRequest } from '../transport/api';

/** Decides what happens when the window is closed. With `always`, the choice is saved and Weft doesn't ask again. */
export async function closeWindow(weft: Weft, how: CloseWindowRequest['how'], always = false): Promise<void> {
  await weft.attempt(t('failed.save'), async () => {
    if (always) await weft.transport.call('SaveBackground', { whenClosed: 'background', atLogin: null });
    await weft.transport.call('CloseWindow', { how });
  });
}

/** Quits Weft. Asks first if agents are working. */
export function quit(weft: Weft): void {
  const working = weft.server.get().spaces.filter(({ state }) => state === 'running' || state === 'waiting');
  if (working.length > 0) weft.dialogs.set({ closing: working.length });
  else void closeWindow(weft, 'quit');
}
