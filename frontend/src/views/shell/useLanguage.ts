import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { onSpoken, speak, spoken, t } from '../../i18n';
import { type Language, languageOf, systemLanguages } from '../../i18n/language';
import { sayFailed } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';

/** The language that the window is drawn in. It follows what the user chooses, and what the system asks for if that is chosen. */
export function useLanguage(): Language {
  const weft = useWeft();
  const language = useSyncExternalStore(onSpoken, spoken);
  const chosen = useStore(weft.server, ({ status, appearance }) =>
    status === 'ready' ? appearance.language : null,
  );
  useEffect(() => {
    if (chosen === null) return undefined;
    const follow = () =>
      void speak(languageOf(chosen, systemLanguages())).catch((error: unknown) =>
        sayFailed(t('failed.language'), error),
      );
    follow();
    window.addEventListener('languagechange', follow);
    return () => window.removeEventListener('languagechange', follow);
  }, [chosen]);
  useFocusKept(language);
  return language;
}

/** In another language everything is drawn anew; who was in a control that has an id is there again. */
function useFocusKept(language: Language): void {
  const focused = useRef('');
  useEffect(() => {
    const note = () => {
      focused.current = document.activeElement?.id ?? '';
    };
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, []);
  const drawn = useRef(language);
  useLayoutEffect(() => {
    if (drawn.current === language) return;
    drawn.current = language;
    const { activeElement } = document;
    if (focused.current !== '' && (activeElement === null || activeElement === document.body))
      document.getElementById(focused.current)?.focus();
  }, [language]);
}
