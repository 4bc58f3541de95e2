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
  await page.evaluate(plain);
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

/** The agent writes ten pieces in this time, in ms. */
const FRAME = 1000 / 60;

/** What each frame has cost for ten pieces: one that comes late holds more, and counts for as many frames as it stands for. */
export function perTen(frames) {
  return frames.map(({ busy, span }) => busy / Math.max(1, span / FRAME));
}

const PAGE = `<!doctype html><title>Floor</title><style>
  html, body { height: 100%; margin: 0; font: 15px/1.6 sans-serif }
  body { display: flex; flex-direction: column }
  .transcript { flex: 1; min-height: 0; overflow-y: auto; contain: strict }
  p { max-width: 72ch; margin: 0 auto 1em; white-space: pre-wrap }
</style><div class="transcript"></div><textarea class="composer-field" rows="2"></textarea>`;

/**
 * Makes the window's own page the floor: what Weft's has drawn goes, and events no longer reach it. The window can't open another page.
 * Its frames are marked as before.
 */
export async function becomeFloor(page) {
  await page.evaluate(`(${plain})(); (${takeOver})(${JSON.stringify(PAGE)}); 0`);
}

/** Runs in the page. Gives it `__plain`, which takes events and adds their text to plain nodes with the next frame. */
function plain() {
  let log = null;
  let waiting = [];
  let last = null;
  const add = (text) => {
    const node = document.createTextNode(text);
    const p = document.createElement('p');
    p.append(node);
    log.append(p);
    return node;
  };
  const draw = () => {
    log ??= document.querySelector('.transcript');
    for (const { type, content, title } of waiting) {
      if (type === 'text_delta') {
        if (last === null || last.length > 400) last = add('');
        last.appendData(content);
      } else if (title !== undefined) {
        add(title);
        last = null;
      }
    }
    waiting = [];
    while (log.childElementCount > 300) log.firstElementChild.remove();
    log.scrollTop = log.scrollHeight;
  };
  window.__plain = (events) => {
    if (waiting.length === 0 && events.length > 0) requestAnimationFrame(draw);
    waiting.push(...events);
  };
}

/** Runs in the page, in a browser. */
function listen({ url, key }) {
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
        if (line.startsWith('data: {')) window.__plain([JSON.parse(line.slice(6))]);
      }
    }
  };
  void read();
}

/** Runs in the page, in the window. What has come is acknowledged, as Weft's page does. */
function takeOver(html) {
  window.wails.EventsNotify = (message) => {
    const [payload] = JSON.parse(message).data;
    const { topic, events } = JSON.parse(payload);
    if (topic.startsWith('space:')) window.__plain(events ?? []);
    void window.go.main.App.Invoke('Ack', JSON.stringify({ bytes: payload.length }));
  };
  document.documentElement.innerHTML = html.replace('<!doctype html>', '');
}
