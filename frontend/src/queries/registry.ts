import { useState } from 'react';
import { keys } from '../cache/keys';
import { useWeft, type Weft } from '../state/weft';
import type { Agent, InstallKind, RegistryAgent, RegistryList } from '../transport/api';
import { asCommandError, type CommandError } from '../transport/transport';
import { useBackendQuery } from './useBackendQuery';

export interface RegistryState {
  list: RegistryList | null;
  error: CommandError | null;
  refreshing: boolean;
  /** Reloads what Weft has cached. */
  read(): Promise<unknown>;
  /** Asks the registry itself. */
  refresh(): Promise<void>;
}

async function ask(weft: Weft, command: 'Registry' | 'RefreshRegistry'): Promise<RegistryList> {
  const take = weft.beginInstallsUpdate();
  const list = await weft.transport.call(command);
  take(list.installs);
  return list;
}

/** The list of agents that can be installed, kept up to date while it is shown. */
export function useRegistry(): RegistryState {
  const weft = useWeft();
  const { data, error, refetch } = useBackendQuery(keys.registry, () => ask(weft, 'Registry'));
  const [asking, setAsking] = useState(false);
  const [failed, setFailed] = useState<CommandError | null>(null);
  return {
    list: data ?? null,
    error: failed ?? error,
    refreshing: asking || data?.refreshing === true,
    read: () => refetch(),
    refresh: async () => {
      setAsking(true);
      setFailed(null);
      try {
        const take = weft.beginUpdate(keys.registry);
        take(await ask(weft, 'RefreshRegistry'));
      } catch (failure) {
        setFailed(asCommandError(failure));
      }
      setAsking(false);
    },
  };
}

/**
 * The registry entry from which an agent can be installed on this machine; null if there is none or it isn't requested.
 */
export function useRegistryAgent(
  agent: Pick<Agent, 'id' | 'name' | 'registry'> | undefined,
  enabled: boolean,
): RegistryAgent | null {
  const { data } = useBackendQuery(keys.registry, (weft) => ask(weft, 'Registry'), {
    enabled: enabled && agent !== undefined,
  });
  if (agent === undefined) return null;
  const name = agent.name.trim().toLowerCase();
  const isIt = (entry: RegistryAgent) =>
    agent.registry === null
      ? entry.id === agent.id || entry.name.trim().toLowerCase() === name
      : entry.id === agent.registry.id;
  return data?.agents.find((entry) => isIt(entry) && entry.ways.length > 0) ?? null;
}

/** The download size of an agent; 0 if its source doesn't say. */
export function useDownloadSize(id: string, revision: string, kind: InstallKind) {
  return useBackendQuery(keys.downloadSize(id, revision, kind), ({ transport }) =>
    transport.call('DownloadSize', { id, revision, kind }).catch(() => ({ bytes: 0 })),
  );
}
