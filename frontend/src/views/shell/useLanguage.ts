import { useEffect, useRef, useSyncExternalStore } from 'react';
import { onSpoken, speak, spoken, t } from '../../i18n';
import { type Language, languageOf, systemLanguages } from '../../i18n/language';
import { sayFailed } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { afterDialogs } from '../parts/afterDialogs';

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

/** In another language everything is drawn again; who was in a control that has an id is there again. */
function useFocusKept(language: Language): void {
  const focused = useRef('');
  useEffect(
    () =>
      onSpoken(() => {
        focused.current = document.activeElement?.id ?? '';
      }),
    [],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the language that draws again
  useEffect(() => {
    if (focused.current === '') return undefined;
    const id = focused.current;
    focused.current = '';
    // After what takes the focus when it is first drawn.
    return afterDialogs(() => document.getElementById(id)?.focus({ preventScroll: true }));
  }, [language]);
}
