import { expect, test, vi } from 'vitest';
import { currentLanguage, setLanguage } from '../i18n';
import type { Appearance } from '../transport/api';
import type { Transport } from '../transport/transport';
import { AppearanceSaver } from './appearance';
import * as notify from './notify';

test('a language that could not be saved is not the one that says so', async () => {
  const say = vi.spyOn(notify, 'showFailure').mockReturnValue();
  const call = async () => {
    await vi.waitFor(() => expect(currentLanguage()).toBe('de'));
    throw new Error('disk full');
  };
  const saver = new AppearanceSaver({ call } as unknown as Transport, ({ language }) => {
    void setLanguage(language === 'de' ? 'de' : 'en');
  });
  const before = { theme: 'system', density: 'comfortable', textScale: 100, thoughts: 'in-place' } as const;
  saver.begin({ ...before, language: 'en', revision: 1 } satisfies Appearance);
  await saver.save({ ...before, language: 'de' });
  await vi.waitFor(() => expect(say).toHaveBeenCalled());
  expect(say).toHaveBeenCalledExactlyOnceWith("Couldn't save the setting", expect.anything());
});
