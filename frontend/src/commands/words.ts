import { t } from '../i18n';
import type { Weft } from '../state/weft';
import type { Words } from '../transport/api';

/**
 * Strings that the native window shows outside of the page, in the language of the page. Until it receives them, they
 * are in English.
 */
const windowStrings = (): Words => ({
  showWindow: t('desktop.showWindow'),
  quitWeft: t('action.quit'),
  background: t('desktop.background'),
  backgroundNote: t('desktop.backgroundNote'),
  chooseFolder: t('folder.title'),
  saveHistory: t('desktop.saveHistory'),
  exportConversation: t('export.title'),
  stopAgents: t('desktop.stopAgents'),
  quit: t('background.quitNow'),
  cancel: t('cancel'),
  open: t('desktop.open'),
  save: t('desktop.save'),
  show: t('desktop.show'),
});

/** Sends the strings to the native window. */
export function sendWindowStrings(weft: Weft): void {
  // If this fails, the native window stays in English.
  if (weft.inWindow) void weft.transport.call('SetWords', windowStrings()).catch(() => {});
}
