import type { McpTool } from '../../transport/api';

/** How a tool is offered to agents, as one choice. */
export type How = 'internal' | 'display' | 'off';
export const hows: readonly How[] = ['internal', 'display', 'off'];

export type Look = 'full' | 'minimal' | 'hidden';
export const looks: readonly Look[] = ['full', 'minimal', 'hidden'];

type Switches = Readonly<Record<string, McpTool>>;

export function howOf(tools: Switches, name: string): How {
  const tool = own(tools, name);
  if (tool?.off) return 'off';
  return tool?.display ? 'display' : 'internal';
}

export function lookOf(tools: Switches, name: string): Look {
  return own(tools, name)?.visibility || 'full';
}

/** The switches with another choice for one tool. A tool as any other has none. */
export function withTool(
  tools: Switches,
  name: string,
  what: { how?: How; look?: Look },
): Record<string, McpTool> {
  const how = what.how ?? howOf(tools, name);
  const look = what.look ?? lookOf(tools, name);
  const rest = Object.entries(tools).filter(([other]) => other !== name);
  if (how === 'internal' && look === 'full') return Object.fromEntries(rest);
  const tool: McpTool = {
    ...(how === 'off' && { off: true }),
    ...(how === 'display' && { display: true }),
    ...(look !== 'full' && { visibility: look }),
  };
  return Object.fromEntries([...rest, [name, tool]]);
}

/** The tools that there is something to choose about: those that a test has found, each once, then those that have switches. */
export function choosable<Found extends { name: string; description: string }>(
  found: readonly Found[],
  tools: Switches,
): { name: string; description: string }[] {
  const list = new Map<string, { name: string; description: string }>();
  for (const { name, description } of found) if (!list.has(name)) list.set(name, { name, description });
  for (const name of Object.keys(tools).sort())
    if (!list.has(name)) list.set(name, { name, description: '' });
  return [...list.values()];
}

function own(tools: Switches, name: string): McpTool | undefined {
  return Object.hasOwn(tools, name) ? tools[name] : undefined;
}
