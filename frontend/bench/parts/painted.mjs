/**
 * Runs in the page, before the app. Notes when a token such as "@w12:1700000000000.5", the time at which it was
 * written, is first on the screen: `window.__painted` has its kind, its number, that
 * time, and when the frame that shows it was painted.
 */
export function watchTokens() {
  window.__painted = [];
  const seen = new Set();
  let waiting = [];
  let inFrame = false;
  const clock = () => performance.timeOrigin + performance.now();

  // A message that is posted in a frame's callback arrives when that frame is laid out and painted.
  const frameOver = new MessageChannel();
  const painted = (list) => {
    const at = clock();
    for (const token of list) window.__painted.push({ ...token, at });
  };
  frameOver.port1.onmessage = () => {
    inFrame = false;
    const list = waiting;
    waiting = [];
    painted(list);
  };
  const request = window.requestAnimationFrame.bind(window);
  const atFrame = () => {
    if (inFrame) return;
    inFrame = true;
    frameOver.port2.postMessage(null);
  };
  window.requestAnimationFrame = (callback) =>
    request((time) => {
      atFrame();
      callback(time);
    });

  const read = (node) => {
    for (const [, kind, id, time] of (node.textContent ?? '').matchAll(/@([a-z])(\d+):(\d+\.\d)/g)) {
      if (seen.has(kind + id)) continue;
      seen.add(kind + id);
      waiting.push({ kind, id: Number(id), written: Number(time) });
    }
  };
  const observer = new MutationObserver((changes) => {
    const before = waiting.length;
    for (const { type, target, addedNodes } of changes) {
      if (type === 'characterData') read(target);
      else for (const node of addedNodes) read(node);
    }
    if (waiting.length > before && !inFrame) request(atFrame);
  });
  observer.observe(document, { subtree: true, childList: true, characterData: true });
}
