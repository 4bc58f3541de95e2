/**
 * Runs in the page, before the app. Marks every frame, and notes those in which the transcript changed:
 * `window.__frames` has when each began, whether it changed anything, and how long the page was busy
 * with it, from its first callback to after layout and paint.
 */
export function watchFrames() {
  const frames = [];
  window.__frames = frames;
  let grew = false;
  const over = new MessageChannel();
  over.port1.onmessage = ({ data: began }) => {
    frames.push({ began, grew, busy: performance.now() - began });
    grew = false;
  };
  const frame = () => {
    performance.mark(window.__mark ?? 'frame');
    const began = performance.now();
    requestAnimationFrame(frame);
    if (list === null || !list.isConnected) {
      observer.disconnect();
      list = document.querySelector('.transcript');
      if (list !== null) observer.observe(list, { subtree: true, childList: true, characterData: true });
    }
    over.port2.postMessage(began);
  };
  requestAnimationFrame(frame);
  // The list does not exist yet when this runs, and is another one in every space.
  let list = null;
  const observer = new MutationObserver(() => {
    grew = true;
    performance.mark('grew');
    observer.disconnect();
    list = null;
  });
}
