/** How the browser is started: the one of the system, quiet, and without its own traffic. */
export const chromium = {
  executablePath: process.env['WEFT_CHROMIUM'] ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};
