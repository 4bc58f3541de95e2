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

/** The strings of the other languages. Only those of the language in use are loaded. */
const others = import.meta.glob<typeof en>(['./*.json', '!./en.json'], { import: 'default' });

/** The sentences of the backend in the other languages. */
const sentences = import.meta.glob<Record<string, string>>(
  ['./backend/*.json', '!./backend/templates.json'],
  {
    import: 'default',
  },
);

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
  const load = others[`./${language}.json`];
  const [strings, said] = await Promise.all([
    i18next.hasResourceBundle(language, 'translation') ? undefined : load?.(),
    sentences[`./backend/${language}.json`]?.(),
  ]);
  if (strings !== undefined) i18next.addResourceBundle(language, 'translation', strings);
  // Another one may have been chosen while this one was loaded.
  if (wanted !== language) return;
  const before = i18next.language;
  learn(said);
  await i18next.changeLanguage(language);
  pageLanguage(language);
  if (before !== language) for (const listener of listeners) listener();
}
