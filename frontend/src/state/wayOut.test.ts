import { describe, expect, test } from 'vitest';
import { exitScreen } from './exitScreen';
import type { Screen } from './shown';

const screens: readonly Screen[] = ['space', 'new', 'settings', 'registry', 'inbox', 'search'];

describe('leaving a screen', () => {
  test('leads to the one that it was opened from', () => {
    const from = { settings: 'inbox', inbox: 'search', search: 'new' } as const;
    expect(exitScreen('settings', from)).toBe('inbox');
    expect(exitScreen('inbox', from)).toBe('search');
    expect(exitScreen('search', from)).toBe('new');
  });

  test('leads out of screens that were opened from each other', () => {
    const from = { settings: 'inbox', inbox: 'search', search: 'settings' } as const;
    expect(exitScreen('search', from)).toBe('space');
    expect(exitScreen('settings', { settings: 'search', search: 'inbox', inbox: 'search' })).toBe('search');
  });

  test('ends from everywhere, whatever was opened from what', () => {
    const some = screens.slice(2);
    for (const settings of screens)
      for (const inbox of screens)
        for (const search of screens)
          for (const start of some) {
            const from = { settings, inbox, search, registry: 'settings' } as const;
            let at: Screen = start;
            for (let i = 0; i < 5 && at !== 'space' && at !== 'new'; i++) at = exitScreen(at, from);
            expect(['space', 'new']).toContain(at);
          }
  });
});
