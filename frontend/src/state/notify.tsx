import { t } from '../i18n';
import { asCommandError } from '../transport/transport';
import { TakenBack } from './answered';
import { loadLater } from './loadLater';

/** Notices are not part of the first screen: see views/shell/later.ts. */
function notice(show: (toast: typeof import('sonner').toast) => void): void {
  void loadLater(() => import('sonner')).then(({ toast }) => show(toast));
}

/** Says that something did not work, with the sentence that came with it. */
export function sayFailed(what: string, error: unknown): void {
  // The user knows.
  if (error instanceof TakenBack) return;
  const failure = asCommandError(error);
  const { message, detail } = failure;
  const action = {
    label: t('copyDetail'),
    onClick: () => void navigator.clipboard.writeText(`${message}\n${detail}`),
  };
  notice((toast) =>
    toast.error(what, { description: message, duration: 10_000, ...(detail === '' ? {} : { action }) }),
  );
}

/** Says that something did not work, in one sentence, and offers to mend it. */
export function sayFailedWithAction(sentence: string, label: string, run: () => void): void {
  notice((toast) => toast.error(sentence, { duration: 15_000, action: { label, onClick: run } }));
}

export function say(what: string): void {
  notice((toast) => toast(what));
}

/** Says what happened and offers to go there. */
export function sayWithAction(what: string, label: string, run: () => void): void {
  notice((toast) => toast(what, { duration: 15_000, action: { label, onClick: run } }));
}

/** Says what was done and offers to undo it. */
export function sayUndoable(what: string, undo: () => void): void {
  notice((toast) => toast(what, { duration: 8_000, action: { label: t('undo'), onClick: undo } }));
}

/** Says what is about to be done and offers to undo it, until it is unsaid by its id. */
export function saySoon(id: string, what: string, undo: () => void): void {
  notice((toast) =>
    toast(what, { id, duration: Number.POSITIVE_INFINITY, action: { label: t('undo'), onClick: undo } }),
  );
}

export function unsay(id: string): void {
  notice((toast) => toast.dismiss(id));
}
