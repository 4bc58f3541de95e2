import { displayKind, type ToolCall } from './model';
import type { Visibility } from './types';

// How calls of tools are drawn by the user's rules: backend/callview in TypeScript, held to the same cases
// (backend/callview/testdata). The journal and the fold know nothing of rules: they are applied to what is drawn, so that
// what is on screen follows at once when they change, and can be taken back.

/** Says how the calls of one tool are drawn. An empty agent or server is any agent, and no server. */
export interface CallRule {
  agent: string;
  server: string;
  tool: string;
  visibility: Visibility;
}

export interface Looks {
  readonly rules: readonly CallRule[];
  /** Calls of the space tools are drawn as displays. */
  readonly displays: boolean;
}

export const plainLooks: Looks = { rules: [], displays: false };

/** What agents know Weft's own server as. */
export const gateway = 'weft';

/** The gateway's tools with which agents see spaces and write to them. */
const spaceTools = ['listSpaces', 'readSpaceMessages', 'getMyRuns', 'sendSpaceMessage'] as const;
export type SpaceTool = (typeof spaceTools)[number];

/** The gateway's other tools. No tool of anyone else is called like any of these. */
const displayTools = [
  'showApprovalForm',
  'showCard',
  'showChart',
  'showChoice',
  'showDiff',
  'showForm',
  'showImage',
  'showMarkdown',
  'showProgress',
  'showTable',
] as const;

/** The gateway's tools with which agents search and read earlier conversations. They are drawn as other calls are. */
const historyTools = ['searchHistory', 'readConversation'] as const;

export interface Look {
  visibility: Visibility;
  display: boolean;
}

type Called = Pick<ToolCall, 'toolName' | 'toolNameDerived' | 'title' | 'kind' | 'status' | 'visibility'> & {
  permissions: readonly { readonly outcome?: string | undefined }[];
};

/** How a call of an agent is drawn. `parent` says that something is under it. */
export function lookOf(looks: Looks, agent: string, call: Called, parent: boolean): Look {
  if (call.kind === displayKind) return { visibility: 'full', display: true };
  let visibility = ruleOf(looks, agent, call)?.visibility ?? call.visibility ?? 'full';
  if (visibility === 'hidden' && (parent || stays(call))) visibility = 'full';
  return {
    visibility,
    display: visibility === 'full' && looks.displays && spaceToolOf(call.toolName) !== null,
  };
}

/** Whether a call is shown even if it is hidden. */
export function stays({ status, permissions }: Called): boolean {
  return (
    status === 'failed' || status === 'waiting' || permissions.some(({ outcome }) => outcome === 'unasked')
  );
}

/** The rule that holds for a call: of those that match, the first that says most. */
export function ruleOf({ rules }: Looks, agent: string, call: Called): CallRule | null {
  let found: CallRule | null = null;
  let most = -1;
  for (const rule of rules) {
    const says = (rule.agent === '' ? 0 : 2) + (rule.server === '' ? 0 : 1);
    if (says > most && matches(rule, agent, call)) {
      found = rule;
      most = says;
    }
  }
  return found;
}

/** Whether a rule is about a call of an agent. */
function matches(rule: CallRule, agent: string, call: Called): boolean {
  if (rule.agent !== '' && rule.agent !== agent) return false;
  if ((rule.server === '' || rule.server === gateway) && isGateway(rule.tool)) {
    if (endsWith(call.toolName, rule.tool)) return true;
  }
  if (rule.server !== '') return ofServer(call, rule.server, rule.tool);
  // A name that Weft has derived is a guess, and often no more than a kind: other agents' tools would be hidden with it.
  return (
    call.toolName === rule.tool &&
    call.toolName !== '' &&
    (call.toolNameDerived !== true || rule.agent !== '')
  );
}

function isGateway(tool: string): boolean {
  return [...spaceTools, ...displayTools, ...historyTools].some((one) => one === tool);
}

/** The tool of the gateway that a name is of, behind whatever an agent calls its servers. */
export function gatewayToolOf(name: string): string | null {
  return [...spaceTools, ...displayTools, ...historyTools].find((tool) => endsWith(name, tool)) ?? null;
}

export function spaceToolOf(name: string): SpaceTool | null {
  return spaceTools.find((tool) => endsWith(name, tool)) ?? null;
}

function endsWith(name: string, tool: string): boolean {
  const whole = fold(name);
  const end = fold(tool);
  return whole === end || whole.endsWith(`_${end}`);
}

/** Whether a call is one of a tool of an MCP server, by the forms in which agents name these. */
export function ofServer(call: Called, server: string, tool: string): boolean {
  const s = fold(server);
  const t = fold(tool);
  if (s === '' || t === '') return false;
  if (named(call.toolName, s, t)) return true;
  // It is called something else, whatever its title says.
  if (call.toolName !== '' && call.toolNameDerived !== true && fold(call.toolName) !== t) return false;
  const open = call.kind === '' || call.kind === 'other'; // else a title is a path, mostly
  const at = call.title.indexOf(' (');
  if (at >= 0 && fold(call.title.slice(0, at)) === t) {
    const within = call.title.slice(at + 2).split(')', 1)[0] ?? '';
    const bare = within.endsWith(' MCP Server') ? within.slice(0, -' MCP Server'.length) : within;
    if (fold(bare) === s && (open || bare !== within)) return true;
  }
  const head = call.title.split(/[({\n]/, 1)[0] ?? '';
  const whole = fold(head);
  return (open || whole.startsWith('tool_') || whole.startsWith('mcp_')) && named(head, s, t);
}

/** Whether a name is that of a tool of a server, both folded. */
function named(name: string, server: string, tool: string): boolean {
  const whole = fold(name);
  const want = `${server}_${tool}`;
  return whole === want || whole.replace(/^tool_/, '').replace(/^mcp_/, '') === want;
}

const folded = new Map<string, string>();

/**
 * Makes names alike that differ in case and separators only: a run of anything but letters and digits is one "_". Only
 * ASCII changes its case, so that it is the same in every language.
 */
export function fold(name: string): string {
  const known = folded.get(name);
  if (known !== undefined) return known;
  const made = name
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII but letters and digits
    .replace(/[\u0000-/:-`{-\u007f]+/g, '_')
    .replace(/^_|_$/g, '');
  if (folded.size > 5000) folded.clear();
  folded.set(name, made);
  return made;
}
