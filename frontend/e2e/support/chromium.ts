import { existsSync } from 'node:fs';

/** Without the frame around its pages Chromium takes two thirds of the time. Debian has both, of one version. */
const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** How the browser is started: the one of the system, quiet, and without its own traffic. */
export const chromium = {
  executablePath: process.env['WEFT_CHROMIUM'] ?? installed.find(existsSync) ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};
