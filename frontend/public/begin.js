// What comes before the rest of the page is read.

// The page is dark from its first picture where it was, or where the system is: theme/appearance.ts keeps the theme.
(() => {
  let theme = 'system';
  try {
    theme = localStorage.getItem('weft.theme') ?? theme;
  } catch {
    // Storage may be forbidden.
  }
  if (theme === 'system') theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  document.documentElement.dataset.theme = theme;
})();

// Asks for what the first screen shows while the rest of the page is still being read. src/transport/begun.ts takes the answer over.
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
