import i18next from 'i18next';
import en from './en.json';
import { type Language, pageLanguage } from './language';
import { setTemplates } from './said';

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

/**
 * Cache of strings without values in the current language: looking one up takes longer than rendering the element
 * around it.
 */
const plain = new Map<string, string>();
const forget = () => plain.clear();
i18next.on('languageChanged', forget);
i18next.store.on('added', forget);

/** Returns the string for a key in the current language. */
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
  /** Which of the templates belong to tool calls. */
  calls: readonly string[];
}

/** The other languages. Only the current one is loaded. */
const others = import.meta.glob<Loaded>('./load/*.ts', { import: 'default' });

const listeners = new Set<() => void>();
let wanted: Language = 'en';

/** The current language. */
export const currentLanguage = () => i18next.language as Language;

/** Calls `listener` whenever the language changes. Returns a function that unsubscribes. */
export function onLanguageChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Switches the language once its strings are loaded. If loading fails, it rejects and the language stays the same. */
export async function setLanguage(language: Language): Promise<void> {
  wanted = language;
  const loaded = await others[`./load/${language}.ts`]?.();
  if (loaded !== undefined && !i18next.hasResourceBundle(language, 'translation'))
    i18next.addResourceBundle(language, 'translation', loaded.strings);
  // Another language may have been chosen while this one was loading.
  if (wanted !== language) return;
  const before = i18next.language;
  setTemplates(loaded?.sentences, loaded?.calls);
  await i18next.changeLanguage(language);
  pageLanguage(language);
  if (before !== language) for (const listener of listeners) listener();
}
