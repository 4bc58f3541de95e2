/** Going to places that are far away in a very long space: from the address to the place, painted; and a search of all of it. */
import { launch, open, openSpace } from './parts/chromium.mjs';
import { note, percentile, quick, round, row, watchMachine } from './parts/row.mjs';
import { prompt, serve, space } from './parts/weft.mjs';

const TURNS = 20;
const SEGMENTS = quick ? 1_000 : 5_000; // in each turn
const rounds = quick ? 5 : 15;

const weft = await serve();
const browser = await launch();
try {
  const spaceId = await space(weft, 'Long');
  for (let i = 0; i < TURNS; i++) await prompt(weft, spaceId, `segments ${SEGMENTS}`);
  // The second turn is 90 % of the space away from its end.
  const outline = await weft.call('Outline', { spaceId, from: 0 });
  const prompts = outline.entries.filter(({ kind }) => kind === 'prompt');
  const second = prompts[1];
  const page = await weft.call('Page', {
    spaceId,
    around: { messageId: second.messageId, segment: 0 },
    limit: 20,
  });
  const answer = page.messages.find(({ ord }) => ord === second.ord + 1);

  const machine = watchMachine();
  const { page: tab, errors } = await open(browser, weft);
  await openSpace(tab, 'Long');
  await tab.waitForFunction((last) => document.body.textContent.includes(last), `page-${SEGMENTS - 1}.md`);
  const times = [];
  for (let i = 0; i < rounds; i++) {
    // Each time the end first, so that the place is far from what is held.
    await tab.locator('.transcript-scroll').focus();
    await tab.keyboard.press('Control+End');
    await tab.waitForFunction(atEnd, `page-${SEGMENTS - 1}.md`);
    await tab.waitForTimeout(300);
    const segment = 101 + i * 2;
    times.push(
      await tab.evaluate(jump, {
        hash: `#/space/${spaceId}/${answer.id}.${segment}.0`,
        segment,
        id: answer.id,
      }),
    );
  }
  const load = machine();
  const total = (TURNS * SEGMENTS).toLocaleString('en');
  const far = (TURNS * SEGMENTS - SEGMENTS - 100).toLocaleString('en');
  const reached = percentile(times, 50);
  row(
    `going to a place ${far} segments away in a space of ${total} in Chromium: address → painted`,
    `${round(reached, 0)} ms (median of ${rounds}, longest ${round(percentile(times, 100), 0)}; ${load})`,
    '',
    '≤ 150 ms',
    reached <= 150,
  );

  const searches = [];
  for (let i = 0; i < (quick ? 3 : 5); i++) {
    const began = performance.now();
    for (let from = null; ; ) {
      const found = await weft.call('FindInSpace', {
        spaceId,
        query: `nowhere ${i}`,
        limit: 500,
        context: 80,
        ...(from && { from }),
      });
      from = found.next;
      if (from === null) break;
    }
    searches.push(performance.now() - began);
  }
  row(
    `searching all of that space for a text that isn't in it`,
    `${round(percentile(searches, 50), 0)} ms (median of ${searches.length}, longest ${round(percentile(searches, 100), 0)})`,
    '',
    '≤ 1500 ms',
    percentile(searches, 50) <= 1500,
  );
  for (const error of errors) note(error);
} finally {
  await browser.close();
  await weft.stop();
}

/** In the page: sets the address; answers when the call is in the view and painted. */
function jump({ hash, segment, id }) {
  return new Promise((done) => {
    const began = performance.now();
    const over = new MessageChannel();
    over.port1.onmessage = () => done(performance.now() - began);
    const look = () => {
      const list = document.querySelector('.transcript-scroll');
      const place = list.querySelector(`[data-at="${id}:${segment}:0"]`);
      if (place === null) return requestAnimationFrame(look);
      const { top, bottom } = place.getBoundingClientRect();
      const view = list.getBoundingClientRect();
      if (top < view.top || bottom > view.bottom) return requestAnimationFrame(look);
      over.port2.postMessage(null);
    };
    window.location.hash = hash;
    requestAnimationFrame(look);
  });
}

/** In the page: whether the end of the space is in view. */
function atEnd(last) {
  const list = document.querySelector('.transcript-scroll');
  const end = list.scrollHeight - list.clientHeight - list.scrollTop < 8;
  return (
    end && [...list.querySelectorAll('.tool-title')].some(({ textContent }) => textContent.endsWith(last))
  );
}
