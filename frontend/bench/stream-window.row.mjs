/** A markdown answer, streamed through the whole app in the real window, and then into the plain page that the window's page becomes. */
import { resolve } from 'node:path';
import { answerFile } from './parts/answer.mjs';
import { against, becomeFloor, perTen } from './parts/floor.mjs';
import { watchFrames } from './parts/frames.mjs';
import { quick, row, watchMachine, weftPath } from './parts/row.mjs';
import { watchThread } from './parts/thread.mjs';
import { flags, folder } from './parts/weft.mjs';
import { invoke, missing, openWindow, prompted } from './parts/window.mjs';

const length = quick ? 50_000 : 250_000;
const NAME = `streaming ${length / 1_000_000} MB of markdown in the WebKitGTK window, against the same text in plain nodes: main thread per frame of ten pieces`;
const WANT = '≤ 1.5 ×';

const lacking = missing();
if (lacking.length > 0) {
  row(NAME, `not measured: there is no ${lacking.join(' and no ')}`, WANT);
} else {
  const data = folder();
  process.env.HOME = data;
  const { page, webProcess, stop } = await openWindow(resolve(weftPath), flags(data));
  try {
    await page.until("document.querySelector('.composer-field') !== null");
    await page.evaluate(`(${watchFrames})()`);
    const { id } = JSON.parse(
      await invoke(page, 'CreateSpace', { agentId: 'bench', folder: data, title: 'Streamed' }),
    );
    await page.until("document.querySelector('.space-button') !== null");
    await page.evaluate("document.querySelector('.space-button').click()");
    await page.until("document.querySelector('.composer-area') !== null");
    await run(page, id, `stream ${await answerFile(data, 5_000)}`); // the agent and the code are warm then
    const file = await answerFile(data, length);
    const machine = watchMachine();
    const ours = await measured(page, id, file, webProcess());
    await becomeFloor(page);
    const floor = await measured(page, id, file, webProcess());
    const { value, ok } = against(perTen(ours), perTen(floor), 95);
    row(NAME, `${value}; ${machine()}`, WANT, ok);
  } finally {
    await stop();
  }
}

/** Streams a file; returns the processor time of each frame that changed something, until the next one. */
async function measured(page, id, file, process) {
  await page.evaluate('window.__frames.length = 0');
  const thread = watchThread(process);
  await run(page, id, `stream ${file}`);
  const used = thread();
  const origin = await page.evaluate('performance.timeOrigin');
  const frames = JSON.parse(await page.evaluate('JSON.stringify(window.__frames)'));
  const times = frames.slice(1).map(({ began }, i) => ({
    busy: used(origin + frames[i].began, origin + began),
    span: began - frames[i].began,
  }));
  return times.filter((_, i) => frames[i].grew);
}

/** Sends a prompt and waits until its run is over and the page shows that. */
async function run(page, spaceId, text) {
  await prompted(page, spaceId, text);
  await page.until("document.querySelector('.send.stop') === null");
}
