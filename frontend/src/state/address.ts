import { addressTo, readAddress, readNewSpace } from './link';
import { addressOf, sectionOf } from './settingsPlace';
import type { View } from './shown';
import type { Weft } from './weft';

// The address of the page, and the way back. Each space that is opened, and each place that is gone to, is an entry of the page's
// history; going back leads to where the view was. The window of the app has such a history, too, though nobody sees its address.

/** What is kept with an entry of the history. */
interface Entry {
  /** How many entries of this page are before it. */
  n: number;
  /** Where the view was when the entry was left. */
  view: View | null;
}

function entry(): Entry {
  const kept = (window.history.state as { weft?: Entry } | null)?.weft;
  return kept ?? { n: 0, view: null };
}

/** Whether there is something to go back to that is of this page. */
export function canGoBack(): boolean {
  return entry().n > 0;
}

export function goBack(): void {
  if (canGoBack()) window.history.back();
}

export function goForward(): void {
  window.history.forward();
}

/** Keeps the address of the page and what is shown together, until the returned function is called. */
export function followAddress(weft: Weft): () => void {
  const wanted = () => {
    const { screen, settings, selected, arrived } = weft.shown.get();
    if (screen === 'settings') return addressOf(settings.section);
    return screen === 'space' && selected !== null ? addressTo(selected, arrived) : '';
  };
  const put = (address: string, kept: Entry, push: boolean) => {
    const { pathname, search } = window.location;
    const url = pathname + search + address;
    if (push) window.history.pushState({ weft: kept }, '', url);
    else window.history.replaceState({ weft: kept }, '', url);
  };
  let following = false;
  const write = () => {
    if (following) return;
    const now = window.location.hash;
    const next = wanted();
    if (now === next) return;
    const was = readAddress(now);
    // What is no address of ours is not ours to change, and a screen without one leaves that of the space behind it.
    const ours = was !== null || sectionOf(now) !== undefined || readNewSpace(now) !== null;
    if (now !== '' && !ours) return;
    if (next === '' && was !== null) return;
    const kept = entry();
    const space = readAddress(next);
    const push = was !== null && space !== null;
    if (push) {
      const view = weft.reading?.spaceId === was.spaceId ? weft.reading.view() : null;
      put(now, { ...kept, view }, false);
    }
    put(next, push ? { n: kept.n + 1, view: null } : kept, push);
  };
  const follow = () => {
    const { hash } = window.location;
    if (hash === wanted() && entry().view === null) return;
    const section = sectionOf(hash);
    const linked = readAddress(hash);
    const folder = readNewSpace(hash);
    following = true;
    if (folder !== null) weft.beginIn(folder);
    else if (section !== undefined) weft.showSettings(section ?? undefined);
    else if (linked !== null) weft.goBackTo(linked.spaceId, linked.place, entry().view);
    else if (hash === '' && weft.shown.get().screen === 'settings') weft.leaveSettings();
    following = false;
    write();
  };
  // Both events come when the user goes back; the second one finds all done.
  let handled = '';
  const popped = () => {
    handled = window.location.href;
    follow();
  };
  const changed = () => {
    const again = handled === window.location.href;
    handled = '';
    if (!again) follow();
  };
  const stop = weft.shown.subscribe(write);
  window.addEventListener('popstate', popped);
  window.addEventListener('hashchange', changed);
  write();
  return () => {
    stop();
    window.removeEventListener('popstate', popped);
    window.removeEventListener('hashchange', changed);
  };
}
