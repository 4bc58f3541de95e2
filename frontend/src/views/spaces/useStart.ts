import { useEffect, useState } from 'react';
import { useFolders } from '../../queries/spaces';
import { type AgentChoice, chooseAgent, readyAgents } from '../../state/agentChoice';
import { recentFolders } from '../../state/folders';
import { useStore } from '../../state/store';
import { readLastUsed } from '../../state/ui';
import { useWeft } from '../../state/weft';
import type { Agent } from '../../transport/api';

interface StartAgent extends AgentChoice {
  ready: readonly Agent[];
  pick(id: string): void;
}

/** The agent of a new space: a default until the user picks another one. */
export function useStartAgent(): StartAgent {
  const weft = useWeft();
  const agents = useStore(weft.server, (state) => state.agents);
  const [last] = useState(() => readLastUsed().lastAgent);
  const [picked, pick] = useState('');
  const ready = readyAgents(agents);
  return { ready, pick, ...chooseAgent(ready, picked, last) };
}

interface StartFolder {
  folder: string;
  /** The default folder, if it no longer exists. */
  gone: string | null;
  pick(folder: string): void;
}

/** The folder of a new space: the last used one, or the next one that still exists. */
export function useStartFolder(): StartFolder {
  const weft = useWeft();
  const [candidates] = useState(() => {
    const { spaces, about } = weft.server.get();
    const { lastFolder } = readLastUsed();
    const all = [lastFolder ?? '', ...recentFolders(spaces), about.folder, about.home];
    return [...new Set(all)].filter((path) => path !== '');
  });
  const [at, setAt] = useState(0);
  const [picked, pick] = useState('');
  const candidate = candidates[at] ?? '';
  const { error } = useFolders(candidate, picked === '' && at < candidates.length - 1);
  const missing = error?.code === 'folder_not_found' || error?.code === 'invalid';
  useEffect(() => {
    if (missing) setAt((now) => (candidates[now] === candidate ? now + 1 : now));
  }, [missing, candidates, candidate]);
  return {
    folder: picked || candidate,
    gone: picked === '' && at > 0 ? (candidates[0] ?? null) : null,
    pick,
  };
}
