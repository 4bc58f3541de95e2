import { told, toldName } from '../i18n/said';
import type { Agent, SessionChoice, SessionOption } from '../transport/api';
import type { SlashCommand } from './offered';
import { useStore } from './store';
import { useWeft } from './weft';

// What Weft's own agent calls its modes, options, commands and answers comes through the protocol in English, as other clients get it. The
// window has these words in its language; those of any other agent stay as they are (decision 0061).

/** Whether an agent is Weft's own: the guide, or one with a model. */
export const isWefts = (agent: Agent | undefined): boolean =>
  agent !== undefined && (agent.source === 'builtin' || agent.model !== null);

/** Whether the agent with the id is Weft's own. */
export function useWefts(agentId: string | undefined): boolean {
  return useStore(useWeft().server, ({ agents }) => isWefts(agents.find(({ id }) => id === agentId)));
}

/** An option of Weft's own agent in the language of the window. */
export function toldOption(option: SessionOption): SessionOption {
  const { name, description, choices } = option;
  return {
    ...option,
    name: toldName(name),
    ...(description !== undefined && { description: toldName(description) }),
    ...(choices !== undefined && { choices: choices.map(toldChoice) }),
  };
}

function toldChoice(choice: SessionChoice): SessionChoice {
  const { name, description } = choice;
  return {
    ...choice,
    name: toldName(name),
    ...(description !== undefined && { description: toldName(description) }),
  };
}

/** A command of Weft's own agent in the language of the window. What is typed stays. */
export const toldCommand = ({ name, description, hint }: SlashCommand): SlashCommand => ({
  name,
  description: toldName(description),
  hint: toldName(hint),
});

/** The options that Weft gives for what it would do itself for an agent (backend/requests). */
const wefts = ['once', 'no'];

/** What the answers to a request are called: those of Weft and of its own agent in the language of the window. */
export function answerNames(
  own: boolean,
  options: readonly { optionId: string; name: string }[],
): (name: string) => string {
  const ours = own || options.map(({ optionId }) => optionId).join() === wefts.join();
  return ours ? told : (name) => name;
}
