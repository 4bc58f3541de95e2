import { type CallRule, gateway, type Looks, plainLooks } from '../transcript/looks';
import type { CallRule as Listed, ToolCalls } from '../transport/api';

/** How tool calls are shown, and the MCP servers that tools may belong to. */
export interface CallSettings {
  looks: Looks;
  servers: readonly string[];
}

export const plainCalls: CallSettings = { looks: plainLooks, servers: [gateway] };

export function readCalls({ rules, spaceTools, servers }: ToolCalls): CallSettings {
  return {
    looks: { rules: (rules ?? []).map(readRule), displays: spaceTools === 'displays' },
    servers: servers ?? [gateway],
  };
}

function readRule({ agent = '', server = '', tool, visibility }: Listed): CallRule {
  return { agent, server, tool, visibility };
}

export function sameRule(a: CallRule, b: CallRule): boolean {
  return a.agent === b.agent && a.server === b.server && a.tool === b.tool;
}
