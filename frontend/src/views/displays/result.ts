import { objectOf } from '../../transcript/object';
import type { Json } from '../../transcript/types';
import { type Fact, type Fields, line, list, textOf } from './read';

// The result of a tool in MCP format, as far as displays show it. Servers may send anything in it.

export interface Link {
  name: string;
  uri: string;
  note: string;
}

export interface Result {
  /** Text, one per block, without text that only repeats the structured content. */
  texts: readonly string[];
  /** Data URLs. */
  images: readonly { src: string; alt: string }[];
  links: readonly Link[];
  /** Kinds and sizes of content that cannot be shown. */
  others: readonly string[];
  /** The structured content, or JSON parsed from text. */
  value: Json | undefined;
  failed: boolean;
}

export function resultOf(raw: Json | undefined): Result | null {
  const of = objectOf(raw);
  if (of === null) return null;
  const texts: string[] = [];
  const images: { src: string; alt: string }[] = [];
  const links: Link[] = [];
  const others: string[] = [];
  for (const block of list(of['content']).map(objectOf)) {
    if (block === null) continue;
    const resource = objectOf(block['resource']);
    const mime = line(block['mimeType'] ?? resource?.['mimeType']);
    const data = block['data'] ?? resource?.['blob'];
    const name = line(block['title']) || line(block['name']) || line(resource?.['uri']);
    if (typeof block['text'] === 'string') texts.push(block['text']);
    else if (typeof resource?.['text'] === 'string') texts.push(resource['text']);
    else if (block['type'] === 'resource_link')
      links.push({ name, uri: line(block['uri']), note: line(block['description']) });
    else if (typeof data === 'string' && mime.startsWith('image/'))
      images.push({ src: `data:${mime};base64,${data}`, alt: name });
    else if (typeof data === 'string') others.push(mime || 'application/octet-stream');
  }
  const structured = of['structuredContent'];
  const only = texts.length === 1 && texts[0] !== undefined ? parsed(texts[0]) : undefined;
  const value = structured ?? only;
  // Text next to structured content is mostly the same data as JSON.
  const said = value === undefined ? texts : texts.filter((text) => parsed(text) === undefined);
  return { texts: said, images, links, others, value, failed: of['isError'] === true };
}

/** The value of the result in templates: its structured content, otherwise its text. */
export function readableOf(result: Result | null): Json | undefined {
  if (result === null) return undefined;
  return result.value ?? (result.texts.length > 0 ? result.texts.join('\n') : undefined);
}

/** Parses an object or array from JSON text. */
function parsed(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text) || text.length > 1 << 20) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** A part of a value with the view that fits it. */
export type Shape =
  | { type: 'facts'; facts: Fact[] }
  | { type: 'table'; title: string; input: Fields }
  | { type: 'list'; title: string; items: string[] }
  | { type: 'json'; title: string; value: Json };

const mostColumns = 24;

/** Splits a value by shape: fields, tables of records, lists, and JSON for everything else. */
export function shapesOf(value: Json | undefined, title = ''): Shape[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return [ofList(value, title)];
  const of = objectOf(value);
  if (of === null) return [{ type: 'facts', facts: [{ label: title, value: textOf(value) }] }];
  const facts: Fact[] = [];
  const more: Shape[] = [];
  for (const [name, one] of Object.entries(of)) {
    if (Array.isArray(one)) {
      if (one.length > 0 && one.length <= 6 && one.every(isPlain))
        facts.push({ label: words(name), value: one.map(textOf).join(', ') });
      else if (one.length === 0) facts.push({ label: words(name), value: '—' });
      else more.push(ofList(one, words(name)));
    } else if (objectOf(one) !== null) {
      const inner = Object.entries(objectOf(one) ?? {});
      if (inner.every(([, deep]) => isPlain(deep)))
        for (const [deeper, deep] of inner)
          facts.push({ label: `${words(name)} · ${words(deeper)}`, value: textOf(deep) });
      else more.push({ type: 'json', title: words(name), value: one });
    } else facts.push({ label: words(name), value: textOf(one) });
  }
  return facts.length > 0 ? [{ type: 'facts', facts }, ...more] : more;
}

function ofList(value: readonly Json[], title: string): Shape {
  if (value.length > 0 && value.every(isPlain)) return { type: 'list', title, items: value.map(textOf) };
  const rows = value.map(objectOf);
  if (rows.length === 0 || rows.some((row) => row === null))
    return { type: 'json', title, value: [...value] };
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row ?? {})))].slice(0, mostColumns);
  if (keys.length === 0) return { type: 'json', title, value: [...value] };
  return {
    type: 'table',
    title,
    input: {
      columns: keys.map((key) => ({ key, label: words(key) })),
      rows: rows.map((row) =>
        Object.fromEntries(
          Object.entries(row ?? {}).map(([key, one]) => [
            key,
            isPlain(one) ? one : textOf(one).replace(/\s+/g, ' '),
          ]),
        ),
      ),
    },
  };
}

function isPlain(value: Json | undefined): boolean {
  return value === null || typeof value !== 'object';
}

/** A field name as words: unitPrice and unit_price become "Unit price". */
export function words(name: string): string {
  const text = name
    .replace(/([a-z0-9])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .replace(/[_-]+/g, ' ')
    .trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
