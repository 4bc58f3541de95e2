import { objectOf } from '../../transcript/object';
import type { Json } from '../../transcript/types';

// The forms that agents ask with: an object of flat properties (ACP Elicitation). Other parts of a schema are left to
// the agent, which validates the answer anyway.

export interface Choice {
  value: string;
  title: string;
  description?: string;
}

export interface Question {
  name: string;
  title: string;
  description: string;
  kind: 'text' | 'number' | 'boolean' | 'choice' | 'choices' | 'json';
  required: boolean;
  choices: Choice[];
  /** email, uri, date, date-time: the kind of input field. */
  format: string;
  integer: boolean;
  minimum: number | null;
  maximum: number | null;
  minLength: number | null;
  maxLength: number | null;
  minItems: number | null;
  maxItems: number | null;
  initial: Answer;
}

export type Answer = string | boolean | string[];
export type Answers = Record<string, Answer>;

type Dict = Record<string, Json>;

const most = 2000;

/** Reports whether a schema is a form: an object with properties, or with none. Anything else is answered with JSON. */
export function isForm(schema: Json | undefined): boolean {
  const of = objectOf(schema);
  if (of === null || (of['type'] !== undefined && of['type'] !== 'object')) return false;
  return of['properties'] === undefined ? of['type'] === 'object' : objectOf(of['properties']) !== null;
}

/** The questions of a form, in order. A property of an unknown type is a text field. */
export function questionsOf(schema: Json | undefined): Question[] {
  const properties = objectOf(objectOf(schema)?.['properties']) ?? {};
  const required = list(objectOf(schema)?.['required'] ?? null);
  return Object.entries(properties)
    .slice(0, most)
    .map(([name, value]) => questionOf(name, objectOf(value) ?? {}, required.includes(name)));
}

/** A form with initial values, which replace the defaults of its fields. */
export function prefilled(schema: Json | undefined, values: Json | undefined): Json | undefined {
  const of = objectOf(schema);
  const properties = objectOf(of?.['properties']);
  const given = objectOf(values);
  if (of === null || properties === null || given === null) return schema;
  const filled = Object.entries(properties).map(([name, value]): [string, Json] => {
    const property = objectOf(value);
    const own = Object.hasOwn(given, name) ? given[name] : undefined;
    return [name, property === null || own === undefined ? value : { ...property, default: own }];
  });
  return { ...of, properties: Object.fromEntries(filled) };
}

function questionOf(name: string, of: Dict, required: boolean): Question {
  const type = Array.isArray(of['type']) ? of['type'].find((one) => one !== 'null') : of['type'];
  const items = objectOf(of['items']);
  const choices = type === 'array' ? choicesOf(items ?? {}) : choicesOf(of);
  let kind: Question['kind'] = 'text';
  if (type === 'boolean') kind = 'boolean';
  else if (type === 'array' && choices.length > 0) kind = 'choices';
  else if (type !== 'array' && choices.length > 0) kind = 'choice';
  else if (type === 'number' || type === 'integer') kind = 'number';
  else if (type === 'object' || type === 'array') kind = 'json';
  return {
    name,
    title: text(of['title']) || name,
    description: text(of['description']),
    kind,
    required,
    choices,
    format: text(of['format']),
    integer: type === 'integer',
    minimum: number(of['minimum']),
    maximum: number(of['maximum']),
    minLength: number(of['minLength']),
    maxLength: number(of['maxLength']),
    minItems: number(of['minItems']),
    maxItems: number(of['maxItems']),
    initial: initialOf(kind, of['default'], choices, text(of['format'])),
  };
}

/** Duplicates are a single choice. */
function choicesOf(of: Dict): Choice[] {
  const offered = new Map<string, Choice>();
  for (const one of allChoices(of)) if (!offered.has(one.value)) offered.set(one.value, one);
  return [...offered.values()];
}

function allChoices(of: Dict): Choice[] {
  const names = list(of['enumNames'] ?? null);
  const plain = list(of['enum'] ?? null).map((value, i) => ({ value, title: names[i] ?? value }));
  if (plain.length > 0) return plain;
  const titled = of['oneOf'] ?? of['anyOf'];
  return (Array.isArray(titled) ? titled : []).flatMap((one) => {
    const value = objectOf(one)?.['const'];
    if (typeof value !== 'string') return [];
    const description = text(objectOf(one)?.['description']);
    const choice = { value, title: text(objectOf(one)?.['title']) || value };
    return [description === '' ? choice : { ...choice, description }];
  });
}

/** A longer text is unreadable in a field, which lays out all of it for each key. */
const longestInitial = 10_000;

/** A text that is too long is omitted, because a part of it would be a different answer. */
function short(initial: string): string {
  return initial.length > longestInitial ? '' : initial;
}

function initialOf(
  kind: Question['kind'],
  value: Json | undefined,
  choices: readonly Choice[],
  format: string,
): Answer {
  const offered = (one: string) => choices.some((choice) => choice.value === one);
  switch (kind) {
    case 'boolean':
      return value === true;
    case 'choices':
      return list(value ?? null).filter(offered);
    case 'choice':
      return typeof value === 'string' && offered(value) ? value : '';
    case 'json':
      return value === undefined ? '' : short(JSON.stringify(value));
    default:
      if (format === 'date-time' && typeof value === 'string') return localTime(value);
      return typeof value === 'string' || typeof value === 'number' ? short(String(value)) : '';
  }
}

/** A time in the format of the browser's field: local, without a zone. */
function localTime(value: string): string {
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Why an answer is invalid; null if it is valid. */
export type Flaw =
  | { key: 'required' }
  | { key: 'number' | 'integer' | 'email' | 'uri' | 'date' | 'json' | 'pattern' }
  | { key: 'least' | 'most' | 'shortest' | 'longest' | 'fewest' | 'mostItems'; n: number };

export function flawOf(question: Question, answer: Answer): Flaw | null {
  if (question.kind === 'boolean') return null;
  const blank = typeof answer === 'string' ? answer.trim() === '' : (answer as string[]).length === 0;
  if (blank) return question.required ? { key: 'required' } : null;
  if (Array.isArray(answer)) {
    if (question.minItems !== null && answer.length < question.minItems)
      return { key: 'fewest', n: question.minItems };
    if (question.maxItems !== null && answer.length > question.maxItems)
      return { key: 'mostItems', n: question.maxItems };
    return null;
  }
  const value = String(answer);
  if (question.kind === 'number') {
    const n = Number(value.trim());
    if (!Number.isFinite(n)) return { key: 'number' };
    if (question.integer && !Number.isInteger(n)) return { key: 'integer' };
    if (question.minimum !== null && n < question.minimum) return { key: 'least', n: question.minimum };
    if (question.maximum !== null && n > question.maximum) return { key: 'most', n: question.maximum };
    return null;
  }
  if (question.kind === 'json') return jsonOf(value) === undefined ? { key: 'json' } : null;
  const length = [...value].length;
  if (question.minLength !== null && length < question.minLength)
    return { key: 'shortest', n: question.minLength };
  if (question.maxLength !== null && length > question.maxLength)
    return { key: 'longest', n: question.maxLength };
  if (question.format === 'email' && !/^\S+@\S+$/.test(value)) return { key: 'email' };
  if (question.format === 'uri' && !URL.canParse(value)) return { key: 'uri' };
  if (question.format.startsWith('date') && Number.isNaN(new Date(value).getTime())) return { key: 'date' };
  // Patterns are checked after sending: evaluating one here may take forever.
  return null;
}

export function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The content of the answer, without empty fields. */
export function contentOf(questions: readonly Question[], answers: Answers): Dict {
  const content: Dict = {};
  for (const { name, kind, initial, format } of questions) {
    const answer = answers[name] ?? initial;
    if (kind === 'boolean') content[name] = answer === true;
    else if (Array.isArray(answer)) {
      if (answer.length > 0) content[name] = answer;
    } else if (typeof answer === 'string' && answer.trim() !== '') {
      if (kind === 'number') content[name] = Number(answer.trim());
      else if (kind === 'json') content[name] = jsonOf(answer) ?? answer;
      else content[name] = format === 'date-time' ? new Date(answer).toISOString() : answer;
    }
  }
  return content;
}

function list(value: Json): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function number(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
