import { type CallRule, fold, gateway, gatewayToolOf, type Looks, ofServer, ruleOf } from './looks';
import type { ToolCall } from './model';
import { originalCall } from './style';
import type { Visibility } from './types';

// Determines the rule that "show calls like this as …" creates for a call, and what it changes.

/** What a rule applies to. */
export type RuleKey = Pick<CallRule, 'agent' | 'server' | 'tool'>;

export interface RuleChange {
  /** The new rule; null removes it. */
  after: CallRule | null;
  /** The previous rule; null if there was none. */
  before: CallRule | null;
  key: RuleKey;
}

/** How the rules and its own tool want a call to be shown, regardless of its state. */
export function wantedLook(looks: Looks, agent: string, call: ToolCall): Visibility {
  const told = originalCall(call);
  return ruleOf(looks, agent, told)?.visibility ?? told.visibility ?? 'full';
}

/** What a rule for calls like this one applies to; null if its tool has no name. */
export function keyOf(call: ToolCall, agent: string, servers: readonly string[]): RuleKey | null {
  const told = originalCall(call);
  const own = gatewayToolOf(told.toolName);
  if (own !== null) return { agent: '', server: gateway, tool: own };
  // If several server names match, the longest one is meant.
  for (const server of [...servers].sort((a, b) => b.length - a.length)) {
    const tool = toolOf(told, server);
    if (tool !== null) return { agent: '', server, tool };
  }
  return told.toolName === '' ? null : { agent, server: '', tool: told.toolName };
}

/** The tool of a call to the server, using the name formats known to ofServer. */
function toolOf(call: ToolCall, server: string): string | null {
  const { toolName, title } = call;
  const behind = [toolName, title.split(/[({\n]/, 1)[0] ?? ''].flatMap((name) => {
    const bare = name.replace(/^tool: ?/i, '');
    return [bare, bare.replace(/^mcp(?:__|[_./:-])/, '')].map((one) => afterServer(one.trim(), server));
  });
  const before = title.includes(' (') ? title.slice(0, title.indexOf(' (')).trim() : null;
  for (const tool of [...behind, before])
    if (tool !== null && tool !== '' && ofServer(call, server, tool)) return tool;
  return null;
}

function afterServer(name: string, server: string): string | null {
  const want = fold(server);
  if (want === '') return null;
  for (let i = 1; i < name.length; i++) {
    const rest = /^[^A-Za-z0-9\u0080-\uffff]+(.+)$/.exec(name.slice(i))?.[1];
    if (rest !== undefined && fold(name.slice(0, i)) === want) return rest;
  }
  return null;
}

/** The rule that makes calls like this one look that way, or no rule if they already do. */
export function changeTo(
  visibility: Visibility,
  call: ToolCall,
  agent: string,
  looks: Looks,
  servers: readonly string[],
): RuleChange | null {
  const told = originalCall(call);
  const before = ruleOf(looks, agent, told);
  const key = before ?? keyOf(told, agent, servers);
  if (key === null) return null;
  const others = { ...looks, rules: looks.rules.filter((rule) => rule !== before) };
  const { agent: of, server, tool } = key;
  const rule = { agent: of, server, tool };
  const needed = wantedLook(others, agent, told) !== visibility;
  return { before, key: rule, after: needed ? { ...rule, visibility } : null };
}
