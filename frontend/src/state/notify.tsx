import { toast } from 'sonner';
import { t } from '../i18n';
import { asCommandError } from '../transport/transport';

/** Says that something did not work, with the sentence that came with it. */
export function sayFailed(what: string, error: unknown): void {
  const failure = asCommandError(error);
  toast.error(what, {
    description: failure.message,
    duration: 10_000,
    ...(failure.detail === ''
      ? {}
      : {
          action: {
            label: t('copyDetail'),
            onClick: () => void navigator.clipboard.writeText(`${failure.message}\n${failure.detail}`),
          },
        }),
  });
}

export function say(what: string): void {
  toast(what);
}

/** Says what was done and offers to undo it. */
export function sayUndoable(what: string, undo: () => void): void {
  toast(what, { duration: 8_000, action: { label: t('undo'), onClick: undo } });
}
