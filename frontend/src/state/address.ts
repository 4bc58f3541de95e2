import { addressOf, sectionOf } from './settingsPlace';
import type { Weft } from './weft';

/** Keeps the address of a page and the settings together: each section has an address, which opens it at any time. */
export function followAddress(weft: Weft): void {
  const write = () => {
    const { screen, settings } = weft.shown.get();
    const { hash, pathname, search } = window.location;
    const now = screen === 'settings' ? addressOf(settings.section) : '';
    // What is no address of the settings is not ours to change.
    if (hash === now || (now === '' && sectionOf(hash) === undefined)) return;
    window.history.replaceState(null, '', pathname + search + now);
  };
  weft.shown.subscribe(write);
  window.addEventListener('hashchange', () => {
    const { hash } = window.location;
    const section = sectionOf(hash);
    if (section !== undefined) weft.showSettings(section ?? undefined);
    else if (hash === '' && weft.shown.get().screen === 'settings') weft.leaveSettings();
  });
  write();
}
