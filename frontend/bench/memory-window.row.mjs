/** Memory of the window's web process: many long spaces are opened, read and left, again and again. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { note, quick, round, row, watchMachine, weftPath } from './parts/row.mjs';
import { flags, folder } from './parts/weft.mjs';
import { invoke, missing, openWindow, prompted } from './parts/window.mjs';

const SPACES = quick ? 10 : 50;
const SEGMENTS = quick ? 2_000 : 10_000;
const name = `growth of the window's web process after ${SPACES} spaces of ${SEGMENTS.toLocaleString('en')} segments`;
const most = 10;

const lacking = missing();
if (lacking.length > 0) {
  row(name, `not measured: there is no ${lacking.join(' and no ')}`, '', `≤ ${most} MB`);
} else {
  const data = folder();
  process.env.HOME = data;
  const { page, webProcess, stop } = await openWindow(resolve(weftPath), flags(data));
  try {
    await page.until("document.querySelector('.composer-field') !== null");
    const spaces = [];
    for (let i = 0; i < SPACES; i++) {
      const request = { agentId: 'bench', folder: data, title: `Space ${i}` };
      const { id } = JSON.parse(await invoke(page, 'CreateSpace', request));
      spaces.push(id);
      await prompted(page, id, `segments ${SEGMENTS}`);
    }
    const pid = webProcess();
    const machine = watchMachine();
    // The first round is for what is loaded once, and for the memory that the engine keeps ready.
    await round50();
    const first = await rest();
    await round50();
    const second = await rest();
    await round50();
    const third = await rest();
    const growth = third - second;
    row(
      name,
      `${round(growth)} MB in the third round (${[first, second, third].map((mb) => `${round(mb, 0)} MB`).join(', ')} after each of three; ${machine()})`,
      '',
      `≤ ${most} MB`,
      growth <= most,
    );

    async function round50() {
      for (const id of spaces) {
        await page.evaluate(`location.hash = '#/space/${id}'`);
        await page.until(`[...document.querySelectorAll('.tool-title')].length > 3`);
        await page.evaluate("document.querySelector('.transcript-scroll').scrollTop -= 4000");
        await page.evaluate(
          'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
        );
      }
    }

    /** Megabytes that belong to the process alone, once they don't fall any more. */
    async function rest() {
      let least = Number.POSITIVE_INFINITY;
      for (let same = 0; same < 10; ) {
        await page.send('Heap.gc');
        const now = own(pid);
        same = now < least - 0.5 ? 0 : same + 1;
        least = Math.min(least, now);
        await new Promise((done) => setTimeout(done, 500));
      }
      note(`${round(least)} MB`);
      return least;
    }
  } finally {
    await stop();
  }
}

function own(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kb = (field) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
  return (kb('RssAnon') + kb('VmSwap')) / 1024;
}
