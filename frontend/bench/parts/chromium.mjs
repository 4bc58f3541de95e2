/** Chromium with the page that `weft serve` serves. */
import { chromium } from '@playwright/test';

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ARGUMENTS });
}

/** The app in a page of a browser; errors of the page end up in `errors`. `script` runs before the app. */
export async function open(browser, weft, script) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 832 } });
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.stack ?? String(error)));
  if (script !== undefined) await page.addInitScript(script);
  await page.goto(weft.link);
  await page.waitForSelector('.sidebar');
  return { page, errors };
}

/** The entry of a space in the sidebar: in the list of all, and not of what waits. */
export function entry(page, title) {
  return page.getByRole('list', { name: 'Spaces' }).getByRole('button', { name: title }).first();
}

/** Opens a space by a click in the sidebar and waits for its composer. */
export async function openSpace(page, title) {
  await entry(page, title).click();
  await page.waitForSelector('.composer-field');
}

/** Opens a space by its address: of the list only what is in view is drawn. */
export async function goTo(page, spaceId) {
  await page.evaluate((address) => {
    window.location.hash = address;
  }, `#/space/${spaceId}`);
  await page.waitForSelector('.composer-field');
}

/** Waits until the open space shows that no run is under way. */
export async function idle(page) {
  await page.waitForSelector('.send.stop', { state: 'detached' });
}
