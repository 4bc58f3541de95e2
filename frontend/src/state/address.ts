import { addressTo, readAddress, readNewSpace } from './link';
import { addressOf, sectionOf } from './settingsPlace';
import type { View } from './shown';
import type { Weft } from './weft';

// The address of the page, and back navigation. Each opened space and each location visited is an entry of the page's
// history; going back restores the scroll position. The app window has this history too, although its address is not
// visible.

/** State stored with a history entry. */
interface Entry {
  /** Number of entries of this page before it. */
  n: number;
  /** Scroll position when the user left the entry. */
  view: View | null;
}

function entry(): Entry {
  const kept = (window.history.state as { weft?: Entry } | null)?.weft;
  return kept ?? { n: 0, view: null };
}

/** Reports whether the history has an earlier entry of this page. */
export function canGoBack(): boolean {
  return entry().n > 0;
}

export function goBack(): void {
  if (canGoBack()) window.history.back();
}

export function goForward(): void {
  window.history.forward();
}

/** Keeps the address of the page in sync with what is shown until the returned function is called. */
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
    // Only change addresses that belong to Weft. A screen without an address keeps that of the space behind it.
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
  // Going back fires both events; the second one has nothing to do.
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
