import { reloadAgents, saveAgent } from '../../commands/agents';
import { useWeft } from '../../state/weft';
import type { Agent, SaveAgentRequest } from '../../transport/api';
import { type Save, useSave } from '../parts/useSave';

/** Saves the entry of an agent of any kind. */
export function useSaveAgent(
  onSaved: (agent: Agent) => void,
): Save & { save(request: SaveAgentRequest): Promise<void> } {
  const weft = useWeft();
  const saving = useSave();
  const save = (request: SaveAgentRequest) =>
    saving.run(async () => {
      const saved = await saveAgent(weft, request);
      await reloadAgents(weft);
      onSaved(saved);
    });
  return { ...saving, save };
}
