const key = 'weft.page';
const header = 'X-Weft-Page';

/**
 * Returns the options of a request to `weft serve`. The cookie alone is not enough, because browsers send it to every
 * server on this machine; a secret that this page stores for its own origin is added as a header.
 */
export function withSession(options: RequestInit = {}): RequestInit {
  const headers = new Headers(options.headers);
  // Read each time, because another tab may have started a new session.
  const secret = localStorage.getItem(key);
  if (secret !== null) headers.set(header, secret);
  return { ...options, headers, credentials: 'same-origin' };
}

/**
 * Exchanges the token in the printed address for the session's cookie and the page's secret, and removes it from the
 * address bar and the history.
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
