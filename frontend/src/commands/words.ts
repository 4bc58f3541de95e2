import { t } from '../i18n';
import type { Weft } from '../state/weft';
import type { Words } from '../transport/api';

/** What the window's program shows outside of the page, in the language of the page. Until it is told, the program shows it in English. */
const words = (): Words => ({
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

/** Tells the window's program these words. */
export function tellWords(weft: Weft): void {
  // Without them the program speaks English, and works.
  if (weft.inWindow) void weft.transport.call('SetWords', words()).catch(() => {});
}
