/** From an agent's permission request to the painted card, in Chromium, while the agent continues talking. */
import { idle, launch, open, openSpace } from './parts/chromium.mjs';
import { watchTokens } from './parts/painted.mjs';
import { note, percentile, quick, round, row, watchMachine } from './parts/row.mjs';
import { prompt, serve, space } from './parts/weft.mjs';

const count = quick ? 40 : 200;

const weft = await serve();
const browser = await launch();
try {
  const id = await space(weft, 'Asked');
  const { page, errors } = await open(browser, weft, watchTokens);
  await openSpace(page, 'Asked');
  // Each is answered as soon as its card is on the screen.
  await page.exposeFunction('__answer', (requestId) =>
    weft.call('AnswerPermission', { spaceId: id, requestId, optionId: 'yes' }),
  );
  const see = (event) => {
    if (event.type !== 'permission_request') return;
    void page.evaluate(async ({ requestId, toolCallId }) => {
      const number = Number(toolCallId.slice('ask'.length));
      while (window.__painted.length <= number)
        await new Promise((resolve) => requestAnimationFrame(resolve));
      await window.__answer(requestId);
    }, event);
  };
  await prompt(weft, id, 'ask 5', see); // the agent and the code are warm then
  await idle(page);
  await page.evaluate(() => {
    window.__painted.length = 0;
  });
  const machine = watchMachine();
  await prompt(weft, id, `ask ${count}`, see);
  const load = machine();
  const times = (await page.evaluate(() => window.__painted)).map(({ written, at }) => at - written);
  const reached = percentile(times, 99);
  row(
    "an agent's permission request → painted in Chromium, p99",
    `${round(reached)} ms (p50 ${round(percentile(times, 50))}, longest ${round(percentile(times, 100))}, of ${times.length}; ${load})`,
    '',
    '≤ 50 ms',
    reached <= 50 && times.length === count,
  );
  for (const error of errors) note(error);
} finally {
  await browser.close();
  await weft.stop();
}
