import i18next from 'i18next';
import en from './en.json';
import { type Language, pageLanguage } from './language';
import { learn } from './said';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

void i18next.init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { translation: en } },
  // React escapes; escaping twice would show entities.
  interpolation: { escapeValue: false },
  initAsync: false,
});

/** Words without anything put into them, in the language that is chosen: finding one takes longer than drawing what it is in. */
const plain = new Map<string, string>();
const forget = () => plain.clear();
i18next.on('languageChanged', forget);
i18next.store.on('added', forget);

/** The words of a key in the language that is chosen. */
export const t = ((key: string, options?: object) => {
  if (options !== undefined || typeof key !== 'string') return i18next.t(key as never, options as never);
  let words = plain.get(key);
  if (words === undefined) {
    words = i18next.t(key as never) as string;
    plain.set(key, words);
  }
  return words;
}) as typeof i18next.t;

interface Loaded {
  strings: typeof en;
  sentences: Record<string, string>;
  /** Which of them are of calls. */
  calls: readonly string[];
}

/** The other languages. Only the one in use is loaded. */
const others = import.meta.glob<Loaded>('./load/*.ts', { import: 'default' });

const listeners = new Set<() => void>();
let wanted: Language = 'en';

/** The language that is shown. */
export const spoken = () => i18next.language as Language;

/** Calls back when another language is shown, until the answer is called. */
export function onSpoken(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Shows a language once its strings are loaded. It fails if they can't be, and the language stays as it was. */
export async function speak(language: Language): Promise<void> {
  wanted = language;
  const loaded = await others[`./load/${language}.ts`]?.();
  if (loaded !== undefined && !i18next.hasResourceBundle(language, 'translation'))
    i18next.addResourceBundle(language, 'translation', loaded.strings);
  // Another one may have been chosen while this one was loaded.
  if (wanted !== language) return;
  const before = i18next.language;
  learn(loaded?.sentences, loaded?.calls);
  await i18next.changeLanguage(language);
  pageLanguage(language);
  if (before !== language) for (const listener of listeners) listener();
}
