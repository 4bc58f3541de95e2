import { useState } from 'react';
import { asCommandError, CommandError } from '../../commands/failure';

/** Saves what a form holds, and has what is wrong with it. */
export interface Save {
  busy: boolean;
  error: CommandError | null;
  /** Forgets what was wrong: the form was changed. */
  clear(): void;
  /** Says what is wrong before anything is sent. */
  refuse(sentence: string): void;
  run(action: () => Promise<void>): Promise<void>;
}

export function useSave(): Save {
  const [error, setError] = useState<CommandError | null>(null);
  const [busy, setBusy] = useState(false);
  return {
    busy,
    error,
    clear: () => setError(null),
    refuse: (sentence) => setError(new CommandError('invalid', sentence)),
    run: async (action) => {
      if (busy) return;
      setBusy(true);
      setError(null);
      try {
        await action();
      } catch (failure) {
        setError(asCommandError(failure));
      }
      setBusy(false);
    },
  };
}
