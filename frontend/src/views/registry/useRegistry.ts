import { useCallback, useEffect, useState } from 'react';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { RegistryList } from '../../transport/api';
import { asCommandError, type CommandError } from '../../transport/transport';

export interface RegistryState {
  list: RegistryList | null;
  error: CommandError | null;
  refreshing: boolean;
  /** Reads again what Weft knows. */
  read(): Promise<void>;
  /** Asks the source. */
  refresh(): Promise<void>;
}

/** The list of agents to install, kept up to date while it is shown. */
export function useRegistry(): RegistryState {
  const weft = useWeft();
  const version = useStore(weft.store, (state) => state.registryVersion);
  const [list, setList] = useState<RegistryList | null>(null);
  const [error, setError] = useState<CommandError | null>(null);
  const [asking, setAsking] = useState(false);
  const ask = useCallback(
    async (command: 'Registry' | 'RefreshRegistry') => {
      try {
        const answer = await weft.transport.call(command);
        weft.store.set({ installs: answer.installs });
        setList(answer);
        setError(null);
      } catch (failure) {
        setError(asCommandError(failure));
      }
    },
    [weft],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version is what makes it read again
  useEffect(() => void ask('Registry'), [ask, version]);
  return {
    list,
    error,
    refreshing: asking || list?.refreshing === true,
    read: () => ask('Registry'),
    refresh: async () => {
      setAsking(true);
      await ask('RefreshRegistry');
      setAsking(false);
    },
  };
}
