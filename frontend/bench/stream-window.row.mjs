/** A long markdown answer, streamed through the whole app, in the real window. */
import { resolve } from 'node:path';
import { answerFile } from './parts/answer.mjs';
import { watchFrames } from './parts/frames.mjs';
import { quick, row, watchMachine, weftPath } from './parts/row.mjs';
import { streamed } from './parts/streamed.mjs';
import { watchThread } from './parts/thread.mjs';
import { flags, folder } from './parts/weft.mjs';
import { invoke, missing, openWindow, prompted } from './parts/window.mjs';

const length = quick ? 200_000 : 1_000_000;

const lacking = missing();
if (lacking.length > 0) {
  row(
    'streaming markdown in the window',
    `not measured: there is no ${lacking.join(' and no ')}`,
    '',
    '≤ 8 ms',
  );
} else {
  const data = folder();
  process.env.HOME = data;
  const file = await answerFile(data, length);
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
    await page.evaluate('window.__frames.length = 0');
    const machine = watchMachine();
    const thread = watchThread(webProcess());
    await run(page, id, `stream ${file}`);
    const used = thread();
    const load = machine();
    const origin = await page.evaluate('performance.timeOrigin');
    const frames = JSON.parse(await page.evaluate('JSON.stringify(window.__frames)'));
    const times = perFrame(used, origin, frames);
    for (const line of streamed('the WebKitGTK window', length, times, frames, load, 5)) row(...line);
  } finally {
    await stop();
  }
}

/** Processor time of each frame that changed something, until the next one. */
function perFrame(used, origin, frames) {
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
