import { translated, translatedName } from '../i18n/said';
import type { Agent, SessionChoice, SessionOption } from '../transport/api';
import type { SlashCommand } from './offered';
import { useStore } from './store';
import { useWeft } from './weft';

// The modes, options, commands and answers of Weft's own agent arrive through the protocol in English, as for other
// clients. The window translates them; those of other agents stay unchanged (decision 0061).

/** Reports whether an agent is Weft's own: the guide, or one with a model. */
export const isWeftAgent = (agent: Agent | undefined): boolean =>
  agent !== undefined && (agent.source === 'builtin' || agent.model !== null);

/** Reports whether the agent with the id is Weft's own. */
export function useIsWeftAgent(agentId: string | undefined): boolean {
  return useStore(useWeft().server, ({ agents }) => isWeftAgent(agents.find(({ id }) => id === agentId)));
}

/** Translates an option of Weft's own agent. */
export function translatedOption(option: SessionOption): SessionOption {
  const { name, description, choices } = option;
  return {
    ...option,
    name: translatedName(name),
    ...(description !== undefined && { description: translatedName(description) }),
    ...(choices !== undefined && { choices: choices.map(translatedChoice) }),
  };
}

function translatedChoice(choice: SessionChoice): SessionChoice {
  const { name, description } = choice;
  return {
    ...choice,
    name: translatedName(name),
    ...(description !== undefined && { description: translatedName(description) }),
  };
}

/** Translates a command of Weft's own agent. The command itself stays. */
export const translatedCommand = ({ name, description, hint }: SlashCommand): SlashCommand => ({
  name,
  description: translatedName(description),
  hint: translatedName(hint),
});

/** Options that Weft offers for its own actions on behalf of an agent (backend/space/requests). */
const weftOptions = ['once', 'no'];

/** Labels of the answers to a request. Those of Weft and its own agent are translated. */
export function answerNames(
  own: boolean,
  options: readonly { optionId: string; name: string }[],
): (name: string) => string {
  const ours = own || options.map(({ optionId }) => optionId).join() === weftOptions.join();
  return ours ? translated : (name) => name;
}
