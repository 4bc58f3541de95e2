import { describe, expect, test } from 'vitest';
import { errorCodes } from '../../transport/codes';
import { type ErrorPlace, type Fix, fixesFor, fixesForCode, showsDataFolder } from './fixes';

const places: ErrorPlace[] = ['run', 'start', 'test'];
const all = () => true;
const without =
  (...fixes: Fix[]) =>
  (fix: Fix) =>
    !fixes.includes(fix);

test('every code of the backend is decided, and nothing else is', () => {
  expect(errorCodes.length).toBeGreaterThan(100);
  for (const code of errorCodes) expect(fixesForCode(code), code).toBeInstanceOf(Array);
  expect(fixesForCode('from_a_later_version')).toEqual([]);
  expect(fixesForCode('toString')).toEqual([]);
});

describe.each(places)('in a %s', (place) => {
  test.each(errorCodes)('%s has fixes, each once and each possible', (code) => {
    const fixes = fixesFor(code, { place, retryable: false, can: all });
    expect(fixes.length).toBeGreaterThan(0);
    expect(new Set(fixes).size).toBe(fixes.length);
    if (place !== 'run') expect(fixes).not.toContain('restart');
    expect(fixesFor(code, { place, retryable: true, can: () => false })).toEqual([]);
    const some = without('retry', 'chooseCommand', 'signIn');
    expect(fixesFor(code, { place, retryable: true, can: some })).toEqual(
      fixesFor(code, { place, retryable: true, can: all }).filter(some),
    );
  });
});

test.each<[string, Fix[]]>([
  ['agent_missing', ['chooseCommand', 'install', 'retry', 'restart', 'log', 'settings']],
  ['auth_required', ['signIn', 'changeKey', 'retry', 'restart', 'log', 'settings']],
  ['auth', ['changeKey', 'signIn', 'retry', 'restart', 'log', 'settings']],
  ['agent_exited', ['restart', 'retry', 'log', 'settings']],
  ['agent_closed', ['restart', 'retry', 'log', 'settings']],
  ['agent_stalled', ['restart', 'retry', 'log', 'settings']],
  ['agent_silent', ['restart', 'retry', 'log', 'settings']],
  ['folder_not_found', ['chooseFolder', 'retry', 'restart', 'log', 'settings']],
  ['limit', ['retry', 'restart', 'log', 'settings']],
  ['context', ['compact', 'newSpace', 'restart', 'log', 'settings']],
  ['disk_full', ['retry', 'copyDataFolder', 'restart', 'log', 'settings']],
  ['from_a_later_version', ['restart', 'log', 'settings']],
])('the fixes of %s in a run', (code, want) => {
  expect(fixesFor(code, { place: 'run', retryable: false, can: all })).toEqual(want);
});

test('what is not possible is left out, and the next fix is the first one', () => {
  const can = without('chooseCommand', 'signIn', 'compact');
  const first = (code: string) => fixesFor(code, { place: 'run', retryable: true, can })[0];
  expect(first('agent_missing')).toBe('install');
  expect(first('auth_required')).toBe('changeKey');
  expect(first('context')).toBe('newSpace');
});

test('an error that may pass can be tried again', () => {
  const fixes = (retryable: boolean) => fixesFor('denied', { place: 'run', retryable, can: all });
  expect(fixes(true)).toEqual(['retry', 'restart', 'log', 'settings']);
  expect(fixes(false)).toEqual(['restart', 'log', 'settings']);
});

test('errors of the disk say where the data is', () => {
  expect(errorCodes.filter(showsDataFolder)).toEqual(
    expect.arrayContaining(['io', 'disk', 'disk_full', 'read_only']),
  );
  expect(showsDataFolder('agent_missing')).toBe(false);
});
