import type { McpServer, McpServerForm, McpTool, McpVia, PastedServer } from '../../transport/api';
import { type Row, rowsOf, valuesOf } from '../secrets/rows';
import { joinWords, splitWords } from '../settings/commandLine';

/** The form state of an MCP server. */
export interface Draft {
  name: string;
  type: McpServer['type'];
  command: string;
  args: string;
  url: string;
  env: Row[];
  headers: Row[];
  disabled: boolean;
  via: McpVia;
  tools: Record<string, McpTool>;
}

export function draftOf(server: McpServer | null): Draft {
  return {
    name: server?.name ?? '',
    type: server?.type ?? 'stdio',
    command: server?.command ?? '',
    args: joinWords(server?.args ?? []),
    url: server?.url ?? '',
    env: rowsOf(server?.env ?? null, server?.secretEnv ?? null),
    headers: rowsOf(server?.headers ?? null, server?.secretHeaders ?? null),
    disabled: server?.disabled ?? false,
    via: server?.via ?? 'direct',
    tools: server?.tools ?? {},
  };
}

/** A pasted server whose likely secrets are marked as such. */
export function pastedDraft(server: PastedServer): Draft {
  const marked = (rows: Row[]) => rows.map((row) => ({ ...row, secret: server.secret.includes(row.name) }));
  const draft = draftOf(server);
  return { ...draft, env: marked(draft.env), headers: marked(draft.headers) };
}

/** Converts a draft, and validates its values. */
export function formOf(draft: Draft) {
  const stdio = draft.type === 'stdio';
  const values = stdio ? valuesOf(draft.env, 'variable') : valuesOf(draft.headers, 'header');
  const server: McpServerForm = {
    name: draft.name.trim(),
    type: draft.type,
    command: stdio ? draft.command.trim() : '',
    args: stdio ? splitWords(draft.args) : [],
    env: stdio ? values.plain : {},
    url: stdio ? '' : draft.url.trim(),
    headers: stdio ? {} : values.plain,
    secretEnv: stdio ? values.secrets : {},
    secretHeaders: stdio ? {} : values.secrets,
    disabled: draft.disabled,
    via: draft.via,
    tools: draft.tools,
  };
  return { server, wrong: values.wrong };
}

/** A saved server in the form for saving it again. */
export function again(server: McpServer, what: Partial<McpServer> = {}): McpServerForm {
  return formOf(draftOf({ ...server, ...what })).server;
}

/** Returns an unused server name. */
export function freeName(name: string, taken: readonly string[]): string {
  let free = name;
  for (let n = 2; taken.includes(free); n++) free = `${name}-${n}`;
  return free;
}
