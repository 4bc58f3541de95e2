// Decides the language of the window. The user's choice is a setting; the backend writes it into the page, so that the
// first paint is already in the right language.

import type { Appearance } from '../transport/api';

export type Chosen = Appearance['language'];
export type Language = Exclude<Chosen, 'system'>;

/** The interface languages, each by its own name. Each one except English has a file in this folder. */
export const languages: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  zh: '简体中文',
  ja: '日本語',
};

const isLanguage = (name: string): name is Language => Object.hasOwn(languages, name);

/** The system's preferred languages: from the backend in the window, otherwise from the browser. */
export function systemLanguages(): readonly string[] {
  if (typeof document === 'undefined') return [];
  const told = document.documentElement.dataset['system'] ?? '';
  return told === '' ? navigator.languages : told.split(',');
}

/** Picks the language: the user's choice, or the first supported one of the system, or English. */
export function languageOf(chosen: string | undefined, system: readonly string[]): Language {
  if (chosen !== undefined && isLanguage(chosen)) return chosen;
  for (const tag of system) {
    const { language, script } = read(tag) ?? { language: '', script: undefined };
    // Don't show simplified characters to readers of traditional ones unless they choose to.
    if (isLanguage(language) && (language !== 'zh' || script === 'Hans')) return language;
  }
  return 'en';
}

/** The user's choice, as written into the page. */
export const chosenOnPage = () => document.documentElement.dataset['language'];

/**
 * The locale for dates and numbers: the system's locale if its language matches, so that British systems get British
 * dates.
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

/** Sets the language of the page, which affects fonts, line breaks, hyphenation and screen readers. */
export function pageLanguage(language: Language): void {
  document.documentElement.lang = language === 'zh' ? 'zh-Hans' : language;
}
