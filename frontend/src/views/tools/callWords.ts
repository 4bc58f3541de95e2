import { told, toldOfCall } from '../../i18n/said';
import type { ToolCall } from '../../transcript/model';

// What a call is called, what it has come to and why it failed is stored in English, where Weft says it (decision 0061).

/** Kinds whose summaries may be a verb and the name of a file or a mode. */
const verbs = ['read', 'edit', 'delete', 'move', 'switch_mode'];
const oneWord = /^\S+$/;
const anything = /./;

/** What a call has come to, in the language of the window. */
export const summaryShown = ({ summary, kind }: Pick<ToolCall, 'summary' | 'kind'>): string =>
  toldOfCall(summary, verbs.includes(kind) ? oneWord : undefined);

/** Whether what a call is called says what it has come to, as "Read" does. What a command writes is no such word. */
export const saysAlready = (title: string, { summary, kind }: Pick<ToolCall, 'summary' | 'kind'>): boolean =>
  kind !== 'execute' && `${title.toLowerCase()} `.startsWith(`${summary.toLowerCase()} `);

/** Why a call failed. */
export const errorShown = ({ error }: Pick<ToolCall, 'error'>): string => told(error);

/** The names of the calls that are questions; see backend/requests. The second is one of Weft's own, before a prompt is sent. */
export const questionTool = 'weft/question';
export const holdTool = 'weft/hold';

export const isQuestion = ({ toolName }: Pick<ToolCall, 'toolName'>): boolean =>
  toolName === questionTool || toolName === holdTool;

/** What a call is called: a call of a tool of Weft's is called so by Weft. */
export const titleShown = (title: string, toolName: string): string =>
  toolName === holdTool
    ? told(title)
    : toldOfCall(title, /^weft\/|^sendSpaceMessage$/.test(toolName) ? anything : undefined);
