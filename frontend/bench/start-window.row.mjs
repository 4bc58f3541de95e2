/**
 * From the start of the process to a window in which a user can write: the first screen is painted and the
 * field has the focus. Weft against an empty Wails window, in turns.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { note, percentile, quick, round, row, watchMachine, weftPath } from './parts/row.mjs';
import { flags, folder, prompt, serve, space } from './parts/weft.mjs';
import { missing, openWindow } from './parts/window.mjs';

const NAME = 'process start → window interactive, against an empty Wails window';
const WANT = '≤ 1.15 ×';
const rounds = quick ? 3 : 7;

const lacking = missing();
if (lacking.length > 0) {
  row(NAME, `not measured: there is no ${lacking.join(' and no ')}`, WANT);
} else {
  const home = folder();
  const empty = join(home, 'empty-window');
  build(empty);
  process.env.HOME = home; // what windows keep is nobody's
  const fresh = () => {
    const data = join(home, `fresh-${Math.random()}`);
    mkdirSync(data);
    return flags(data);
  };
  const used = join(home, 'used');
  mkdirSync(used);
  await fill(used);
  const programs = [
    { name: 'empty', program: empty, args: () => [], field: 'name' },
    { name: 'first start', program: resolve(weftPath), args: fresh, field: 'composer-field' },
    {
      name: 'a space with history',
      program: resolve(weftPath),
      args: () => flags(used),
      field: 'composer-field',
    },
  ];
  const times = programs.map(() => []);
  const machine = watchMachine();
  for (let i = 0; i <= rounds; i++) {
    for (const [at, program] of programs.entries()) {
      const ms = await start(program);
      if (i > 0) times[at].push(ms); // the first round fills the disk's cache
    }
  }
  const load = machine();
  const [base, ...ours] = times.map((list) => percentile(list, 50));
  const figures = ours.map(
    (ms, i) =>
      `${programs[i + 1].name} ${round(ms / base, 2)} × (${round(ms, 0)} against ${round(base, 0)} ms)`,
  );
  row(NAME, `${figures.join(', ')}; medians of ${rounds}; ${load}`, WANT, Math.max(...ours) <= base * 1.15);
}

function build(out) {
  const tags = 'desktop,production,webkit2_41,emptywindow';
  execFileSync(
    'go',
    ['build', '-trimpath', '-ldflags', '-s -w', '-tags', tags, '-o', out, './frontend/bench/empty-window'],
    {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, CGO_ENABLED: '1' },
    },
  );
}

async function fill(data) {
  const weft = await serve(data);
  const id = await space(weft, 'Used');
  await prompt(weft, id, 'segments 300');
  await weft.stop();
}

async function start({ program, args, field, name }) {
  const window = await openWindow(program, args());
  try {
    const focused = `(document.activeElement?.id === '${field}' || document.activeElement?.className === '${field}') && performance.timeOrigin + performance.now()`;
    const at = await window.page.until(focused);
    const painted = await window.page.until(
      "performance.getEntriesByType('paint').filter(({ name }) => name === 'first-contentful-paint').map(({ startTime }) => performance.timeOrigin + startTime)[0]",
    );
    const ms = Math.max(at, painted) - window.began;
    note(
      `${name}: ${round(ms, 0)} ms (page begun ${round((await window.page.evaluate('performance.timeOrigin')) - window.began, 0)}, painted ${round(painted - window.began, 0)}, focused ${round(at - window.began, 0)})`,
    );
    return ms;
  } finally {
    await window.stop();
  }
}
