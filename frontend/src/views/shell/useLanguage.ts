import { useEffect, useRef, useSyncExternalStore } from 'react';
import { currentLanguage, onLanguageChange, setLanguage, t } from '../../i18n';
import { type Language, languageOf, systemLanguages } from '../../i18n/language';
import { showFailure } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { afterDialogs } from '../parts/afterDialogs';

/** The language of the window. It follows the user's choice, and the system's language if that is chosen. */
export function useLanguage(): Language {
  const weft = useWeft();
  const language = useSyncExternalStore(onLanguageChange, currentLanguage);
  const chosen = useStore(weft.server, ({ status, appearance }) =>
    status === 'ready' ? appearance.language : null,
  );
  useEffect(() => {
    if (chosen === null) return undefined;
    const follow = () =>
      void setLanguage(languageOf(chosen, systemLanguages())).catch((error: unknown) =>
        showFailure(t('failed.language'), error),
      );
    follow();
    window.addEventListener('languagechange', follow);
    return () => window.removeEventListener('languagechange', follow);
  }, [chosen]);
  useFocusKept(language);
  return language;
}

/** A language change renders everything again; restore the focus of a control with an id. */
function useFocusKept(language: Language): void {
  const focused = useRef('');
  useEffect(
    () =>
      onLanguageChange(() => {
        focused.current = document.activeElement?.id ?? '';
      }),
    [],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: run when the language changes
  useEffect(() => {
    if (focused.current === '') return undefined;
    const id = focused.current;
    focused.current = '';
    // After components that take the focus when they mount.
    return afterDialogs(() => document.getElementById(id)?.focus({ preventScroll: true }));
  }, [language]);
}
