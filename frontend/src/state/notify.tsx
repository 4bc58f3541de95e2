import { t } from '../i18n';
import { asCommandError } from '../transport/transport';
import { AnswerUndone } from './answered';
import { loadLater } from './loadLater';
import { Store } from './store';

/** Notifications are not part of the first screen: see views/shell/later.ts. */
function notice(show: (toast: typeof import('sonner').toast) => void): void {
  void loadLater(() => import('sonner')).then(({ toast }) => show(toast));
}

/** Shows a notification that something failed, with the error message. */
export function showFailure(what: string, error: unknown): void {
  // The user did this on purpose.
  if (error instanceof AnswerUndone) return;
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

/** Shows an error with a button to fix it. */
export function showFailureWithAction(sentence: string, label: string, run: () => void): void {
  notice((toast) => toast.error(sentence, { duration: 15_000, action: { label, onClick: run } }));
}

export function say(what: string): void {
  notice((toast) => toast(what));
}

/** Shows a notification with a link to what happened. */
export function showWithAction(what: string, label: string, run: () => void): void {
  notice((toast) => toast(what, { duration: 15_000, action: { label, onClick: run } }));
}

interface Undoable {
  /** What was done, as a sentence. */
  readonly what: string;
  undo(): void;
}

/** Most actions that can still be undone. */
const mostUndoable = 20;

/** What can still be undone, latest last. The command palette offers it once its notification is gone. */
export const undoable = new Store<{ list: readonly Undoable[] }>({ list: [] });

/** Shows a notification with an Undo button. */
export function showUndoable(what: string, undo: () => void): void {
  const done = { what, undo };
  undoable.set({ list: [...undoable.get().list, done].slice(-mostUndoable) });
  const action = { label: t('undo'), onClick: () => undoDone(done) };
  notice((toast) => toast(what, { duration: 8_000, action }));
}

/** Undoes it, once. */
export function undoDone(done: Undoable): void {
  const { list } = undoable.get();
  if (!list.includes(done)) return;
  undoable.set({ list: list.filter((one) => one !== done) });
  done.undo();
}

/** Announces a pending action with an Undo button, until it is dismissed by its id. */
export function showPendingAction(id: string, what: string, undo: () => void): void {
  notice((toast) =>
    toast(what, { id, duration: Number.POSITIVE_INFINITY, action: { label: t('undo'), onClick: undo } }),
  );
}

export function dismissNotice(id: string): void {
  notice((toast) => toast.dismiss(id));
}
