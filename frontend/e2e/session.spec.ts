import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from './support/test';

test('stays signed in after a reload and in a second tab', async ({ weft, page, context }) => {
  await weft.open(page);
  await page.reload();
  const spaces = { name: 'Spaces and settings' };
  await expect(page.getByRole('navigation', spaces)).toBeVisible();
  await expect(page.getByText("Weft isn't responding")).toHaveCount(0);
  const second = await context.newPage();
  await second.goto(weft.url);
  await expect(second.getByRole('navigation', spaces)).toBeVisible();
  const answers = await second.evaluate(
    async () => (await fetch('/api/ListSpaces', { method: 'POST' })).status,
  );
  expect(answers, 'with the cookie alone').toBe(401);
});

test('hands another server of the machine nothing that opens Weft', async ({ weft, page }) => {
  await weft.open(page);
  let cookie = '';
  const other = createServer((request, response) => {
    cookie = request.headers.cookie ?? cookie;
    response.end('<!doctype html>');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  try {
    await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    expect(cookie, 'browsers ignore ports').toContain('weft_');
    const key = cookie.split('=')[1] ?? '';
    for (const headers of [
      { Cookie: cookie },
      { Authorization: `Bearer ${key}` },
      { Cookie: cookie, 'X-Weft-Page': key },
    ]) {
      const response = await fetch(`${weft.url}/api/ListSpaces`, { method: 'POST', headers });
      expect(response.status).toBe(401);
    }
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
  } finally {
    other.close();
  }
});
