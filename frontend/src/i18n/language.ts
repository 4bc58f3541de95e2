// Which language the window speaks. What the user chose is a setting; the backend writes it into the page, so that what is
// painted first is in the right language.

import type { Appearance } from '../transport/api';

export type Chosen = Appearance['language'];
export type Language = Exclude<Chosen, 'system'>;

/** The languages of the interface, each in its own name. Every one but English has a file beside this one. */
export const languages: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  zh: '简体中文',
  ja: '日本語',
};

const isLanguage = (name: string): name is Language => Object.hasOwn(languages, name);

/** What the system asks for: the backend knows it in the window, the browser elsewhere. */
export function systemLanguages(): readonly string[] {
  if (typeof document === 'undefined') return [];
  const told = document.documentElement.dataset['system'] ?? '';
  return told === '' ? navigator.languages : told.split(',');
}

/** The language for what the user chose: the first of the system's that there is, else English. */
export function languageOf(chosen: string | undefined, system: readonly string[]): Language {
  if (chosen !== undefined && isLanguage(chosen)) return chosen;
  for (const tag of system) {
    const { language, script } = read(tag) ?? { language: '', script: undefined };
    // Who reads traditional characters isn't given simplified ones unasked.
    if (isLanguage(language) && (language !== 'zh' || script === 'Hans')) return language;
  }
  return 'en';
}

/** What the page says was chosen. */
export const chosenOnPage = () => document.documentElement.dataset['language'];

/**
 * The locale for dates and numbers: the system's own where it is of the language, so that English is written as in
 * Britain there.
 */
export function localeOf(language: Language, system: readonly string[]): string {
  return (
    system.find((tag) => read(tag)?.language === language && languageOf('system', [tag]) === language) ??
    language
  );
}

function read(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag).maximize();
  } catch {
    return undefined;
  }
}

/** Says on the page which language it is in: for fonts, line breaking, hyphenation and screen readers. */
export function pageLanguage(language: Language): void {
  document.documentElement.lang = language === 'zh' ? 'zh-Hans' : language;
}
