/** From an agent's permission request to the painted card, in Chromium, while the agent continues talking; against its title in a plain node, in turns. */
import { idle, launch, open, openSpace } from './parts/chromium.mjs';
import { against, openFloor } from './parts/floor.mjs';
import { watchTokens } from './parts/painted.mjs';
import { note, quick, row, watchMachine } from './parts/row.mjs';
import { prompt, serve, space } from './parts/weft.mjs';

const count = quick ? 40 : 200;
const rounds = 4;

const weft = await serve();
const browser = await launch();
try {
  const id = await space(weft, 'Asked');
  const { page, errors } = await open(browser, weft, watchTokens);
  await openSpace(page, 'Asked');
  const see = await answering(page, id);
  const other = await space(weft, 'Plain');
  const plain = await openFloor(await browser.newContext(), weft, other, watchTokens);
  const seePlain = await answering(plain, other);
  await asked(page, id, see, 5); // the agent and the code are warm then
  await asked(plain, other, seePlain, 5);
  await idle(page);
  const times = [[], []];
  const machine = watchMachine();
  for (let i = 0; i < rounds; i++) {
    times[0].push(...(await asked(page, id, see, Math.ceil(count / rounds))));
    times[1].push(...(await asked(plain, other, seePlain, Math.ceil(count / rounds))));
  }
  const { value, ok } = against(times[0], times[1], 99);
  row(
    "an agent's permission request → painted in Chromium, against its title in a plain node",
    `${value}; ${machine()}`,
    '≤ 1.5 ×',
    ok && times[0].length >= count,
  );
  for (const error of errors) note(error);
} finally {
  await browser.close();
  await weft.stop();
}

/** Answers each request as soon as it is on the screen. */
async function answering(page, id) {
  await page.exposeFunction('__answer', (requestId) =>
    weft.call('AnswerPermission', { spaceId: id, requestId, optionId: 'yes' }),
  );
  return (event) => {
    if (event.type !== 'permission_request') return;
    void page.evaluate(async ({ requestId, toolCallId }) => {
      const number = Number(toolCallId.slice('ask'.length));
      while (window.__painted.length <= number)
        await new Promise((resolve) => requestAnimationFrame(resolve));
      await window.__answer(requestId);
    }, event);
  };
}

/** How long so many requests took from the agent's write to the painted frame, in ms. */
async function asked(page, id, see, count) {
  await page.evaluate(() => {
    window.__painted.length = 0;
  });
  await prompt(weft, id, `ask ${count}`, see);
  return (await page.evaluate(() => window.__painted)).map(({ written, at }) => at - written);
}
