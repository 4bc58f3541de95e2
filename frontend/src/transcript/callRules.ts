import { type CallRule, fold, gateway, gatewayToolOf, type Looks, ofServer, ruleOf } from './looks';
import type { ToolCall } from './model';
import { toldOf } from './style';
import type { Visibility } from './types';

// Which rule "show calls like this as …" makes of a call, and what it changes.

/** What a rule is about. */
export type RuleKey = Pick<CallRule, 'agent' | 'server' | 'tool'>;

export interface RuleChange {
  /** The rule as it is to be; null: there is none any more. */
  after: CallRule | null;
  /** As it was; null: there was none. */
  before: CallRule | null;
  key: RuleKey;
}

/** How a call is to be drawn by the rules and its own tool, whatever has become of it. */
export function wantedLook(looks: Looks, agent: string, call: ToolCall): Visibility {
  const told = toldOf(call);
  return ruleOf(looks, agent, told)?.visibility ?? told.visibility ?? 'full';
}

/** What a rule about calls like this one is about; null where its tool has no name. */
export function keyOf(call: ToolCall, agent: string, servers: readonly string[]): RuleKey | null {
  const told = toldOf(call);
  const own = gatewayToolOf(told.toolName);
  if (own !== null) return { agent: '', server: gateway, tool: own };
  // Of servers whose names begin alike the longer one is meant.
  for (const server of [...servers].sort((a, b) => b.length - a.length)) {
    const tool = toolOf(told, server);
    if (tool !== null) return { agent: '', server, tool };
  }
  return told.toolName === '' ? null : { agent, server: '', tool: told.toolName };
}

/** The tool of a server that a call is of, by the forms that ofServer knows. */
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

/** What makes calls like this one look so. Where that is so without a rule, there is none. */
export function changeTo(
  visibility: Visibility,
  call: ToolCall,
  agent: string,
  looks: Looks,
  servers: readonly string[],
): RuleChange | null {
  const told = toldOf(call);
  const before = ruleOf(looks, agent, told);
  const key = before ?? keyOf(told, agent, servers);
  if (key === null) return null;
  const others = { ...looks, rules: looks.rules.filter((rule) => rule !== before) };
  const { agent: of, server, tool } = key;
  const rule = { agent: of, server, tool };
  const needed = wantedLook(others, agent, told) !== visibility;
  return { before, key: rule, after: needed ? { ...rule, visibility } : null };
}
