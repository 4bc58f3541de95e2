/** Searching everything while it is typed, in many conversations: from the key to the painted hits. */
import { launch, open } from './parts/chromium.mjs';
import { note, percentile, quick, round, row, watchMachine } from './parts/row.mjs';
import { serve } from './parts/weft.mjs';

const CONVERSATIONS = quick ? 200 : 2_000;
const MESSAGES = 100; // in each
const WORDS = 20_000;
const PACE = 150; // ms from key to key

const weft = await serve();
const browser = await launch();
try {
  const word = words();
  for (let from = 0; from < CONVERSATIONS; from += 100) await fill(from, Math.min(from + 100, CONVERSATIONS));
  await indexed();
  const machine = watchMachine();
  const { page, errors } = await open(browser, weft);
  await page.keyboard.press('Control+Shift+F');
  const field = page.getByRole('combobox');
  await field.waitFor();
  await page.evaluate(watchHits);
  const queries = [];
  for (let i = 0; i < (quick ? 6 : 20); i++)
    queries.push(word(), `${word()} ${word()}`, `"${word()} ${word()}"`);
  for (const query of queries) {
    await field.fill('');
    await page.keyboard.type(query, { delay: PACE });
    await page.waitForTimeout(PACE * 2);
  }
  const times = await page.evaluate(() => window.__hits);
  const load = machine();
  const reached = percentile(times, 95);
  const texts = (CONVERSATIONS * MESSAGES).toLocaleString('en');
  row(
    `searching ${texts} messages while typing, in Chromium: key → hits painted, p95`,
    `${round(reached)} ms (p50 ${round(percentile(times, 50))}, longest ${round(percentile(times, 100))}, ${times.length} keys with new hits; ${load})`,
    '',
    '≤ 60 ms',
    reached <= 60,
  );
  for (const error of errors) note(error);
} finally {
  await browser.close();
  await weft.stop();
}

/** Answers words of which few are frequent, always the same ones. */
function words() {
  let seed = 1;
  const next = () => {
    seed = (seed * 48271) % 2147483647;
    return seed / 2147483647;
  };
  const syllables = 'ba be di do fe ga hi jo ka le mi no pa re si to va we zu tion ment ing er ly'.split(' ');
  const list = Array.from({ length: WORDS }, () =>
    Array.from(
      { length: 2 + Math.floor(next() * 3) },
      () => syllables[Math.floor(next() * syllables.length)],
    ).join(''),
  );
  return () => list[Math.floor(WORDS ** next()) - 1] ?? list[0];
}

async function fill(from, to) {
  const word = words();
  const lines = [];
  for (let c = from; c < to; c++) {
    const messages = Array.from({ length: MESSAGES }, (_, n) => ({
      role: n % 2 === 0 ? 'user' : 'agent',
      content: `${Array.from({ length: 40 }, () => word()).join(' ')} ${c}-${n}`,
    }));
    lines.push(JSON.stringify({ title: `Conversation ${c}`, messages }));
  }
  const response = await fetch(`${weft.base}/api/imports?name=bench.jsonl`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${weft.key}` },
    body: lines.join('\n'),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Waits until all of it can be found. */
async function indexed() {
  for (;;) {
    const { index } = await weft.call('Search', { query: 'conversation' });
    if (index.total === 0) return;
    await new Promise((done) => setTimeout(done, 500));
  }
}

/** In the page: measures from each key to the next frame in which the list of hits is another one. */
function watchHits() {
  window.__hits = [];
  let began = 0;
  document.addEventListener('keydown', () => (began = performance.now()), true);
  const over = new MessageChannel();
  over.port1.onmessage = () => {
    if (began > 0) window.__hits.push(performance.now() - began);
    began = 0;
  };
  new MutationObserver((changes) => {
    const hits = changes.some(
      ({ target }) => target.parentElement?.closest('.search-list') ?? target.closest?.('.search-list'),
    );
    if (hits && began > 0) requestAnimationFrame(() => over.port2.postMessage(null));
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
}
