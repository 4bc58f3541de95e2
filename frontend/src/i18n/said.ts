// Translates sentences of the backend into the current language. The backend sends each sentence in English and, if
// available, also its template and values; the templates are the keys of backend/*.json.

import type { Said } from '../transcript/types';

export interface Sentence {
  message: string;
  said?: Said | undefined;
}

const places = /\{\{[A-Za-z0-9_]+\}\}/g;
/** How deep sentences may be nested, as in the backend. */
const deepest = 8;

let known: ReadonlyMap<string, string> = new Map();
let ofCalls: ReadonlySet<string> = new Set();
let patterns: Pattern[] | undefined;
let callPatterns: Pattern[] | undefined;

/**
 * Sets the templates of the current language, and which of them belong to tool calls. Without templates, the language
 * is English.
 */
export function setTemplates(
  templates: Readonly<Record<string, string>> = {},
  calls: readonly string[] = [],
): void {
  known = new Map(Object.entries(templates));
  ofCalls = new Set(calls.filter((template) => known.has(template)));
  patterns = undefined;
  callPatterns = undefined;
}

/**
 * Formatters for times (ms since 1970), sizes (bytes) and numbers, by the template that stands for them
 * (backend/base/fault/said.go). The first value is the English text, the second the raw value.
 */
const formatters = new Map<string, (n: number) => string>();

/** Sets the formatters. They depend on the language module, which depends on this module. */
export function setFormatters(by: Readonly<Record<'time' | 'size' | 'number', (n: number) => string>>): void {
  for (const [name, format] of Object.entries(by)) formatters.set(`{{${name}}}`, format);
}

/** Translates a sentence of the backend. Returns it in English if there is no translation. */
export function translated(sentence: string | Sentence): string {
  const { message, said } = typeof sentence === 'string' ? { message: sentence, said: undefined } : sentence;
  if (message === '') return message;
  if (said !== undefined && isSaid(said))
    return write(said, (template) => known.get(template) ?? template, formatters);
  if (known.size === 0) return message;
  return matchTemplate(message) ?? message;
}

/** Translates a name or a sentence without values. Unlike [told], it only matches the whole string. */
export const translatedName = (name: string): string => known.get(name) ?? name;

/** A sentence in English, as the backend formats it. */
export const english = (said: Said): string => write(said, (template) => template);

function write(
  [template, ...values]: Said,
  words: (template: string) => string,
  formats?: typeof formatters,
): string {
  const figure = formats?.get(template);
  if (figure !== undefined) {
    const n = Number(values[1]);
    // The range of a JavaScript date.
    if (typeof values[1] === 'string' && values[1] !== '' && Math.abs(n) <= 8.64e15) return figure(n);
  }
  const texts = values.map((value) => (typeof value === 'string' ? value : write(value, words, formats)));
  const order = [...new Set(template.match(places))];
  return words(template).replace(places, (place) => texts[order.indexOf(place)] ?? place);
}

/** Stored data may come from elsewhere, so its shape is checked. */
function isSaid(value: unknown, depth = 0): value is Said {
  return (
    Array.isArray(value) &&
    depth < deepest &&
    typeof value[0] === 'string' &&
    value.every((one) => typeof one === 'string' || isSaid(one, depth + 1))
  );
}

/**
 * Translates the title or summary of a call if Weft wrote it; it may also be the tool's own text. If the call's kind or
 * tool indicates Weft, templates with hardly any words are tried as well, provided that their values match `fits`.
 */
export function translatedCallText(text: string, fits?: RegExp): string {
  if (text === '' || ofCalls.size === 0) return text;
  callPatterns ??= patternsOf([...ofCalls]);
  return matchTemplate(text, 0, callPatterns, fits) ?? text;
}

/** Longer texts are not looked at (in characters). */
const longest = 4000;
/** How many letters a template needs to be recognized in a sentence. Shorter ones would match too much. */
const letters = 8;

/**
 * Translates a sentence that came without its template: one stored by an earlier version, or a plain text field.
 * Returns undefined if no template matches. The values are extracted from the sentence in the word order of the
 * template.
 */
function matchTemplate(
  message: string,
  depth = 0,
  among?: readonly Pattern[],
  fits?: RegExp,
): string | undefined {
  const whole = known.get(message);
  // A single word is more likely something else, such as a file name.
  const ours = among === undefined ? spoken(message) >= letters : ofCalls.has(message);
  if (whole !== undefined && ours) return whole;
  if (depth >= deepest || message.length > longest) return undefined;
  patterns ??= patternsOf([...known.keys()]);
  for (const pattern of among ?? patterns) {
    if (pattern.bare && fits === undefined) continue;
    const values = extractValues(message, pattern);
    if (values === undefined) continue;
    if (pattern.bare && !values.every((value) => fits?.test(value))) continue;
    const names = pattern.names;
    const said = values.map((value, i) =>
      names[i] === '{{words}}' ? value : (matchTemplate(value, depth + 1, among) ?? value),
    );
    return write([pattern.template, ...said], (template) => known.get(template) ?? template);
  }
  return undefined;
}

interface Pattern {
  template: string;
  /** The placeholders in order, possibly with repetitions. */
  order: readonly string[];
  /** The distinct placeholders. */
  names: readonly string[];
  /** The text before, between and after the placeholders. */
  texts: readonly string[];
  /** The template has too few words to be recognized by them. */
  bare: boolean;
}

/** What may stand for a placeholder that only takes a number, a size or a signal. */
const figurePlaces: readonly [place: RegExp, form: RegExp][] = [
  [/^\{\{n\d?\}\}$/, /^\d[\d.,]*$/],
  [/^\{\{size\d?\}\}$/, /^\d[\d.,]*(?: ?[KMGT]?B)?$/],
  [/^\{\{signal\}\}$/, /^(?:SIG[A-Z]+\d*|signal \d+)$/],
];
const isFigure = (place: string) => figurePlaces.some(([at]) => at.test(place));

const spoken = (template: string) => template.replaceAll(places, '').replaceAll(/[^A-Za-z]/g, '').length;

/** Templates with values, sorted by how many words they have, most first. */
function patternsOf(templates: readonly string[]): Pattern[] {
  return templates
    .filter((template) => template.match(places) !== null)
    .sort((a, b) => spoken(b) - spoken(a))
    .map((template) => {
      const order = template.match(places) ?? [];
      const bare = spoken(template) < letters && !order.some(isFigure);
      return { template, order, names: [...new Set(order)], texts: template.split(places), bare };
    });
}

/**
 * Extracts the values of a template from a sentence, each as short as possible. Returns undefined if the sentence
 * doesn't match.
 */
function extractValues(message: string, { order, texts }: Pattern): string[] | undefined {
  const [first = '', ...between] = texts;
  const last = between.pop() ?? '';
  const end = message.length - last.length;
  if (!message.startsWith(first) || !message.endsWith(last) || end < first.length) return undefined;
  const values = new Map<string, string>();
  let at = first.length;
  for (const [i, place] of order.entries()) {
    const text = between[i];
    const next = text === undefined ? end : message.indexOf(text, at);
    if (next < at || next > end) return undefined;
    const value = message.slice(at, next);
    if ((values.get(place) ?? value) !== value) return undefined;
    if (figurePlaces.some(([at, form]) => at.test(place) && !form.test(value))) return undefined;
    values.set(place, value);
    at = next + (text?.length ?? 0);
    if (at > end) return undefined;
  }
  return [...values.values()];
}
