/**
 * The floor that a row is held to: a page that gets the same events and adds their text to plain nodes, and nothing else. What a
 * machine needs for that it needs for Weft, too, however fast it is and whatever else it does.
 */
import { percentile, round } from './row.mjs';

/** Opens the page for a space. Its frames have marks named "floor"; `script` runs in it first. */
export async function openFloor(browser, weft, spaceId, script) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 832 } });
  await page.addInitScript(() => {
    window.__mark = 'floor';
  });
  if (script !== undefined) await page.addInitScript(script);
  const address = `${weft.base}/floor`;
  await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body: PAGE }));
  await page.goto(address);
  await page.evaluate(listen, { url: `${weft.base}/api/spaces/${spaceId}/events`, key: weft.key });
  await page.waitForFunction(() => window.__listens === true);
  return page;
}

/** A ratio to the floor as a row's value, and whether it is reached. */
export function against(ours, floor, p) {
  const a = percentile(ours, p);
  const b = percentile(floor, p);
  const ratio = a / b;
  return {
    value: `${round(ratio, 2)} × (p${p} ${round(a)} against ${round(b)} ms, p50 ${round(percentile(ours, 50))} against ${round(percentile(floor, 50))})`,
    ok: ratio <= 1.5,
  };
}

const PAGE = `<!doctype html><title>Floor</title><style>
  html, body { height: 100%; margin: 0; font: 15px/1.6 sans-serif }
  body { display: flex; flex-direction: column }
  .transcript { flex: 1; min-height: 0; overflow-y: auto; contain: strict }
  p { max-width: 72ch; margin: 0 auto 1em; white-space: pre-wrap }
</style><div class="transcript"></div><textarea class="composer-field" rows="2"></textarea>`;

/** Runs in the page. */
function listen({ url, key }) {
  const log = document.querySelector('.transcript');
  let waiting = [];
  let last = null;
  const plain = (text) => {
    const node = document.createTextNode(text);
    const p = document.createElement('p');
    p.append(node);
    log.append(p);
    return node;
  };
  const draw = () => {
    for (const { type, content, title } of waiting) {
      if (type === 'text_delta') {
        if (last === null || last.length > 400) last = plain('');
        last.appendData(content);
      } else if (title !== undefined) {
        plain(title);
        last = null;
      }
    }
    waiting = [];
    while (log.childElementCount > 300) log.firstElementChild.remove();
    log.scrollTop = log.scrollHeight;
  };
  const read = async () => {
    const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
    window.__listens = true;
    const stream = response.body.getReader();
    const decoder = new TextDecoder();
    let rest = '';
    for (;;) {
      const { done, value } = await stream.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        if (!line.startsWith('data: {')) continue;
        if (waiting.length === 0) requestAnimationFrame(draw);
        waiting.push(JSON.parse(line.slice(6)));
      }
    }
  };
  void read();
}
