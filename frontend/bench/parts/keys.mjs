/** Runs in the page: `window.__keys` has how long each input took to the end of the frame that paints it, in ms. */
export function watchKeys() {
  window.__keys = [];
  let waiting = [];
  const over = new MessageChannel();
  over.port1.onmessage = () => {
    const now = performance.now();
    for (const began of waiting) window.__keys.push(now - began);
    waiting = [];
  };
  addEventListener(
    'input',
    (event) => {
      waiting.push(event.timeStamp);
      if (waiting.length === 1) requestAnimationFrame(() => over.port2.postMessage(null));
    },
    { capture: true },
  );
}
