import { useState } from 'react';
import { keys } from '../cache/keys';
import { useWeft, type Weft } from '../state/weft';
import type { Agent, InstallKind, RegistryAgent, RegistryList } from '../transport/api';
import { asCommandError, type CommandError } from '../transport/transport';
import { useAnswer } from './useAnswer';

export interface RegistryState {
  list: RegistryList | null;
  error: CommandError | null;
  refreshing: boolean;
  /** Reads again what Weft knows. */
  read(): Promise<unknown>;
  /** Asks the source. */
  refresh(): Promise<void>;
}

async function ask(weft: Weft, command: 'Registry' | 'RefreshRegistry'): Promise<RegistryList> {
  const take = weft.installing();
  const list = await weft.transport.call(command);
  take(list.installs);
  return list;
}

/** The list of agents to install, kept up to date while it is shown. */
export function useRegistry(): RegistryState {
  const weft = useWeft();
  const { data, error, refetch } = useAnswer(keys.registry, () => ask(weft, 'Registry'));
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
        const take = weft.answering(keys.registry);
        take(await ask(weft, 'RefreshRegistry'));
      } catch (failure) {
        setFailed(asCommandError(failure));
      }
      setAsking(false);
    },
  };
}

/** The entry of the registry that an agent can be installed from on this machine; null where there is none, or it isn't asked for. */
export function useRegistryAgent(
  agent: Pick<Agent, 'id' | 'name' | 'registry'> | undefined,
  enabled: boolean,
): RegistryAgent | null {
  const { data } = useAnswer(keys.registry, (weft) => ask(weft, 'Registry'), {
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

/** How large the download of an agent is; 0 where its source doesn't tell. */
export function useDownloadSize(id: string, revision: string, kind: InstallKind) {
  return useAnswer(keys.downloadSize(id, revision, kind), ({ transport }) =>
    transport.call('DownloadSize', { id, revision, kind }).catch(() => ({ bytes: 0 })),
  );
}
