import { displayKind, type ToolCall } from './model';
import type { Visibility } from './types';

// Decides how the user's rules show tool calls: backend/conversation/callview in TypeScript, tested with the same cases
// (backend/conversation/callview/testdata). The journal and the fold don't know about rules: they are applied when drawing, so that
// changes take effect at once and can be undone.

/** Defines how the calls of one tool are shown. An empty agent means any agent, an empty server means no server. */
export interface CallRule {
  agent: string;
  server: string;
  tool: string;
  visibility: Visibility;
}

export interface Looks {
  readonly rules: readonly CallRule[];
  /** Calls of the space tools are shown as displays. */
  readonly displays: boolean;
}

export const plainLooks: Looks = { rules: [], displays: false };

/** The name under which agents know Weft's own server. */
export const gateway = 'weft';

/** Tools of the gateway for reading spaces and writing to them. */
const spaceTools = ['listSpaces', 'readSpaceMessages', 'getMyRuns', 'sendSpaceMessage'] as const;
export type SpaceTool = (typeof spaceTools)[number];

/** The other tools of the gateway. No other server has tools with these names. */
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

/** Tools of the gateway for searching and reading earlier conversations. They are shown like other calls. */
const historyTools = ['searchHistory', 'readConversation'] as const;

export interface Look {
  visibility: Visibility;
  display: boolean;
}

type Called = Pick<ToolCall, 'toolName' | 'toolNameDerived' | 'title' | 'kind' | 'status' | 'visibility'> & {
  permissions: readonly { readonly outcome?: string | undefined }[];
};

/** Decides how a call is shown. `parent`: other items are nested under it. */
export function lookOf(looks: Looks, agent: string, call: Called, parent: boolean): Look {
  if (call.kind === displayKind) return { visibility: 'full', display: true };
  let visibility = ruleOf(looks, agent, call)?.visibility ?? call.visibility ?? 'full';
  if (visibility === 'hidden' && (parent || isAlwaysShown(call))) visibility = 'full';
  return {
    visibility,
    display: visibility === 'full' && looks.displays && spaceToolOf(call.toolName) !== null,
  };
}

/** Reports whether a call is shown even if a rule hides it. */
export function isAlwaysShown({ status, permissions }: Called): boolean {
  return (
    status === 'failed' || status === 'waiting' || permissions.some(({ outcome }) => outcome === 'unasked')
  );
}

/** Finds the rule for a call: the first of the most specific ones that match. */
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

/** Reports whether a rule matches a call of an agent. */
function matches(rule: CallRule, agent: string, call: Called): boolean {
  if (rule.agent !== '' && rule.agent !== agent) return false;
  if ((rule.server === '' || rule.server === gateway) && isGateway(rule.tool)) {
    if (endsWith(call.toolName, rule.tool)) return true;
  }
  if (rule.server !== '') return ofServer(call, rule.server, rule.tool);
  // A name derived by Weft is a guess, often just a kind, and would also hide the tools of other agents.
  return (
    call.toolName === rule.tool &&
    call.toolName !== '' &&
    (call.toolNameDerived !== true || rule.agent !== '')
  );
}

function isGateway(tool: string): boolean {
  return [...spaceTools, ...displayTools, ...historyTools].some((one) => one === tool);
}

/** Returns the gateway tool in a name, whatever prefix an agent uses for the server. */
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

/** Reports whether a call is of a tool of an MCP server, using the name formats of various agents. */
export function ofServer(call: Called, server: string, tool: string): boolean {
  const s = fold(server);
  const t = fold(tool);
  if (s === '' || t === '') return false;
  if (named(call.toolName, s, t)) return true;
  // Its name differs, whatever its title says.
  if (call.toolName !== '' && call.toolNameDerived !== true && fold(call.toolName) !== t) return false;
  const open = call.kind === '' || call.kind === 'other'; // otherwise a title is mostly a path
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

/** Reports whether a name denotes the tool of a server, both folded. */
function named(name: string, server: string, tool: string): boolean {
  const whole = fold(name);
  const want = `${server}_${tool}`;
  return whole === want || whole.replace(/^tool_/, '').replace(/^mcp_/, '') === want;
}

const folded = new Map<string, string>();

/**
 * Normalizes case and separators of a name: each run of characters other than letters and digits becomes one "_". Only
 * ASCII letters change their case, so the result doesn't depend on the language.
 */
export function fold(name: string): string {
  const known = folded.get(name);
  if (known !== undefined) return known;
  const made = name
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII except letters and digits
    .replace(/[\u0000-/:-`{-\u007f]+/g, '_')
    .replace(/^_|_$/g, '');
  if (folded.size > 5000) folded.clear();
  folded.set(name, made);
  return made;
}
