import type { SpaceTool } from '../../transcript/looks';
import { objectOf } from '../../transcript/object';
import type { Json } from '../../transcript/types';
import { type Fields, fieldsIn, line, list, text } from './read';

// Extracts the results of the gateway's space tools, in whatever form an agent passes them on: as an MCP result, as
// content blocks, as JSON in text, or wrapped in something of its own.

/** The property that identifies the result of each tool. */
const signs: Record<SpaceTool, string> = {
  listSpaces: 'spaces',
  readSpaceMessages: 'messages',
  getMyRuns: 'runs',
  sendSpaceMessage: 'messageId',
};

const deepest = 10;
const widest = 200;

/** Finds the result of a tool in the data of a call; null if it isn't there. */
export function answerOf(tool: SpaceTool, ...told: readonly (Json | undefined)[]): Fields | null {
  for (const one of told) {
    const found = search(one, signs[tool], deepest);
    if (found !== null) return found;
  }
  return null;
}

function search(value: Json | undefined, sign: string, depth: number): Fields | null {
  if (depth === 0 || value === undefined || value === null) return null;
  if (typeof value === 'string') {
    // Some agents add a line before it, or truncate the end.
    const from = value.indexOf('{');
    const to = value.lastIndexOf('}');
    if (from < 0 || to < from || value.length > 4 << 20) return null;
    try {
      return search(JSON.parse(value.slice(from, to + 1)) as Json, sign, depth - 1);
    } catch {
      return null;
    }
  }
  if (Array.isArray(value)) {
    for (const one of value.slice(0, widest)) {
      const found = search(one, sign, depth - 1);
      if (found !== null) return found;
    }
    return null;
  }
  const of = objectOf(value);
  if (of === null) return null;
  const is = sign === 'messageId' ? typeof of[sign] === 'string' : Array.isArray(of[sign]);
  if (is) return of;
  for (const one of Object.values(of).slice(0, widest)) {
    const found = search(one, sign, depth - 1);
    if (found !== null) return found;
  }
  return null;
}

export interface ListedSpace {
  id: string;
  name: string;
  folder: string;
  members: string[];
  current: boolean;
}

export function spacesIn(answer: Fields): ListedSpace[] {
  return fieldsIn(answer['spaces']).map((one) => ({
    id: line(one['id']),
    name: line(one['name']),
    folder: line(one['folder']),
    members: list(one['members']).map(line),
    current: one['current'] === true,
  }));
}

export interface ReadMessage {
  id: string;
  author: string;
  text: string;
  at: number;
}

export function messagesIn(answer: Fields): ReadMessage[] {
  return fieldsIn(answer['messages']).map((one) => ({
    id: line(one['id']),
    author: line(one['author']),
    text: text(one['text']),
    at: number(one['at']),
  }));
}

export interface ListedRun {
  id: string;
  spaceId: string;
  state: string;
  startedAt: number;
  messages: { spaceId: string; messageId: string }[];
}

export function runsIn(answer: Fields): ListedRun[] {
  return fieldsIn(answer['runs']).map((one) => ({
    id: line(one['id']),
    spaceId: line(one['spaceId']),
    state: line(one['state']),
    startedAt: number(one['startedAt']),
    messages: fieldsIn(one['messages']).map((at) => ({
      spaceId: line(at['spaceId']),
      messageId: line(at['messageId']),
    })),
  }));
}

function number(value: Json | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
