import i18next from 'i18next';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { t } from '.';

afterEach(async () => {
  vi.restoreAllMocks();
  await i18next.changeLanguage('en');
});

describe('words', () => {
  it('are looked for once where nothing is put into them', () => {
    const words = t('transcript.working');
    const look = vi.spyOn(i18next, 't');
    for (let i = 0; i < 10; i++) expect(t('transcript.working')).toBe(words);
    expect(look).not.toHaveBeenCalled();
    expect(t('transcript.opaque', { count: 2, n: '2' })).not.toBe(
      t('transcript.opaque', { count: 1, n: '1' }),
    );
  });

  it('change with the language', async () => {
    const english = t('transcript.working');
    i18next.addResourceBundle('xx', 'translation', { transcript: { working: 'Arbeitet' } });
    await i18next.changeLanguage('xx');
    expect(t('transcript.working')).toBe('Arbeitet');
    await i18next.changeLanguage('en');
    expect(t('transcript.working')).toBe(english);
  });
});
