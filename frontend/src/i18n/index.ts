import i18next from 'i18next';
import en from './en.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

void i18next.init({
  lng: 'en',
  resources: { en: { translation: en } },
  // React escapes; escaping twice would show entities.
  interpolation: { escapeValue: false },
  initAsync: false,
});

export const t = i18next.t;
