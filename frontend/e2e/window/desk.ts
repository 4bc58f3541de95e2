import { Weft } from '../support/weft';
import { Bus } from './bus';
import { Window } from './window';

interface Wishes {
  /** Whether the desktop has a panel for icons. */
  panel?: boolean;
  environment?: Record<string, string>;
  flags?: string[];
  /** The size of the screen. */
  screen?: string;
}

/** Opens a window on a desktop of its own. `clear` ends both, and the Weft. */
export async function openOnDesk(
  weft: Weft,
  { panel = false, environment = {}, flags = [], screen = '1280x800' }: Wishes,
): Promise<{ bus: Bus; window: Window; clear(): Promise<void> }> {
  const bus = await Bus.open(weft.folder, ...(panel ? ['--panel'] : []));
  const session = { DBUS_SESSION_BUS_ADDRESS: bus.address };
  const window = await Window.openOn(screen, weft, { ...session, ...environment }, ...flags);
  const clear = async () => {
    await window.dispose();
    bus.dispose();
    await weft.dispose();
  };
  return { bus, window, clear };
}

/** A Weft that doesn't run yet, with a space whose agent the test leads. */
export async function led() {
  const weft = await Weft.create();
  await weft.start();
  const { puppet } = await weft.puppet();
  await weft.stop();
  return { weft, puppet };
}
