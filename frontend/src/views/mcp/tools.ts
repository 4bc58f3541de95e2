import type { McpTool } from '../../transport/api';

/** How a tool is offered to agents, as a single choice. */
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

/** Changes the setting of one tool. The default isn't stored. */
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

/** The tools to list: those found by a test, each once, then others with settings. */
export function listedTools<Found extends { name: string; description: string }>(
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
