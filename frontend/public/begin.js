// What comes before the rest of the page is read.

// The page is dark from its first picture where the user chose that, which the backend writes into the page, or the system is.
(() => {
  const root = document.documentElement;
  if (root.dataset.theme === 'light' || root.dataset.theme === 'dark') return;
  root.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
})();

// Asks for what the first screen shows while the rest of the page is still being read. src/transport/earlyResponse.ts takes the answer over.
(() => {
  const app = window.go?.main?.App;
  if (app === undefined) return;
  let spaceId = '';
  try {
    const { selected } = JSON.parse(localStorage.getItem('weft.window')) ?? {};
    if (typeof selected === 'string') spaceId = selected;
  } catch {
    // What was kept can't be read: see readKept.
  }
  const request = JSON.stringify({ spaceId });
  const answer = app.Invoke('Bootstrap', request);
  answer.catch(() => {}); // reported by whoever takes it over
  window.begun = { request, answer };
})();
