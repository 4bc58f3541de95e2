import { expect, it } from 'vitest';
import { addressOf, sectionOf, settingsSections } from './settingsPlace';

it('reads the address of every section back', () => {
  for (const section of settingsSections) expect(sectionOf(addressOf(section))).toBe(section);
});

it('opens the settings at an address without a known section', () => {
  expect(sectionOf('#settings')).toBeNull();
  expect(sectionOf('#settings/')).toBeNull();
  expect(sectionOf('#settings/nowhere')).toBeNull();
});

it('leaves other addresses alone', () => {
  for (const hash of ['', '#', '#token=abc', '#settingsx', '#settings/mcp/more', '#x#settings/mcp'])
    expect(sectionOf(hash)).toBeUndefined();
});
