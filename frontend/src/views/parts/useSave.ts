import { useState } from 'react';
import { asCommandError, CommandError } from '../../commands/failure';

/** Saves a form and holds its errors. */
export interface Save {
  busy: boolean;
  error: CommandError | null;
  /** Clears the error, because the form was changed. */
  clear(): void;
  /** Shows an error before anything is sent. */
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
