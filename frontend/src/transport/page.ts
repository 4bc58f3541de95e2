const key = 'weft.page';
const header = 'X-Weft-Page';

/**
 * The options of a request to `weft serve`. The cookie alone is worth nothing, as browsers hand it to every server of
 * this machine; what this page keeps for its own origin goes along as a header.
 */
export function withSession(options: RequestInit = {}): RequestInit {
  const headers = new Headers(options.headers);
  // Read each time: another tab may have begun a new session.
  const secret = localStorage.getItem(key);
  if (secret !== null) headers.set(header, secret);
  return { ...options, headers, credentials: 'same-origin' };
}

/**
 * Exchanges the token of the printed address for the session's cookie and the secret of the page, and takes it out of
 * the address bar and the history.
 */
export async function startSession(): Promise<void> {
  const token = /[#&]token=([^&]+)/.exec(window.location.hash)?.[1];
  if (token === undefined) return;
  window.history.replaceState(null, '', window.location.pathname + window.location.search);
  const response = await fetch('/api/session', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token: decodeURIComponent(token) }),
    credentials: 'same-origin',
  });
  if (!response.ok) return;
  const { page } = (await response.json()) as { page: string };
  localStorage.setItem(key, page);
}
