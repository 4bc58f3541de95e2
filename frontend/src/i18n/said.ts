// The sentences of the backend in the language that is chosen. It sends each in English, and its template and values apart from
// each other where it has them; the templates are the keys of backend/*.json.

import type { Said } from '../transcript/types';

export interface Sentence {
  message: string;
  said?: Said | undefined;
}

const places = /\{\{[A-Za-z0-9_]+\}\}/g;
/** How deep sentences may be inside each other, as in the backend. */
const deepest = 8;

let known: ReadonlyMap<string, string> = new Map();
let ofCalls: ReadonlySet<string> = new Set();
let patterns: Pattern[] | undefined;
let callPatterns: Pattern[] | undefined;

/** From now on sentences are in the language of these templates, of which some are of calls. None is English. */
export function learn(templates: Readonly<Record<string, string>> = {}, calls: readonly string[] = []): void {
  known = new Map(Object.entries(templates));
  ofCalls = new Set(calls.filter((template) => known.has(template)));
  patterns = undefined;
  callPatterns = undefined;
}

/**
 * How the language writes times (ms since 1970), sizes (bytes) and numbers, by the templates that stand for them
 * (backend/fault/said.go): the first value is what English has, the second what it was made of.
 */
const figures = new Map<string, (n: number) => string>();

/** Tells how values are written: the formats need the language, which needs this module. */
export function writeFigures(by: Readonly<Record<'time' | 'size' | 'number', (n: number) => string>>): void {
  for (const [name, format] of Object.entries(by)) figures.set(`{{${name}}}`, format);
}

/** A sentence of the backend in the language that is chosen, or in English if it isn't known in that. */
export function told(sentence: string | Sentence): string {
  const { message, said } = typeof sentence === 'string' ? { message: sentence, said: undefined } : sentence;
  if (message === '') return message;
  if (said !== undefined && isSaid(said))
    return write(said, (template) => known.get(template) ?? template, figures);
  if (known.size === 0) return message;
  return guessed(message) ?? message;
}

/** A name or a sentence without values in the language that is chosen. Unlike [told], it finds nothing that is only like one. */
export const toldName = (name: string): string => known.get(name) ?? name;

/** A sentence in English, as the backend writes it. */
export const english = (said: Said): string => write(said, (template) => template);

function write(
  [template, ...values]: Said,
  words: (template: string) => string,
  formats?: typeof figures,
): string {
  const figure = formats?.get(template);
  if (figure !== undefined) {
    const n = Number(values[1]);
    // A time is at most that far from 1970.
    if (typeof values[1] === 'string' && values[1] !== '' && Math.abs(n) <= 8.64e15) return figure(n);
  }
  const texts = values.map((value) => (typeof value === 'string' ? value : write(value, words, formats)));
  const order = [...new Set(template.match(places))];
  return words(template).replace(places, (place) => texts[order.indexOf(place)] ?? place);
}

/** What is stored may come from elsewhere, so its form is not taken for granted. */
function isSaid(value: unknown, depth = 0): value is Said {
  return (
    Array.isArray(value) &&
    depth < deepest &&
    typeof value[0] === 'string' &&
    value.every((one) => typeof one === 'string' || isSaid(one, depth + 1))
  );
}

/**
 * A title or a summary of a call in the language that is chosen, where it is Weft's: it may as well be the tool's own. Where the call says so, by its
 * kind or its tool, sentences with hardly any words count, too, as long as their values fit.
 */
export function toldOfCall(text: string, fits?: RegExp): string {
  if (text === '' || ofCalls.size === 0) return text;
  callPatterns ??= patternsOf([...ofCalls]);
  return guessed(text, 0, callPatterns, fits) ?? text;
}

/** The longest text that is looked at, in characters. */
const longest = 4000;
/** Letters that a template must have to be recognized in a sentence: others would fit too many. */
const letters = 8;

/**
 * The translation of a sentence that came without its template: one stored by an earlier version, or a field that is a text
 * alone. Undefined if no template fits. The values are taken from the sentence, whose order of words is that of the template.
 */
function guessed(message: string, depth = 0, among?: readonly Pattern[], fits?: RegExp): string | undefined {
  const whole = known.get(message);
  // A word alone is more likely someone else's, such as the name of a file.
  const ours = among === undefined ? spoken(message) >= letters : ofCalls.has(message);
  if (whole !== undefined && ours) return whole;
  if (depth >= deepest || message.length > longest) return undefined;
  patterns ??= patternsOf([...known.keys()]);
  for (const pattern of among ?? patterns) {
    if (pattern.bare && fits === undefined) continue;
    const values = valuesIn(message, pattern);
    if (values === undefined) continue;
    if (pattern.bare && !values.every((value) => fits?.test(value))) continue;
    const names = pattern.names;
    const said = values.map((value, i) =>
      names[i] === '{{words}}' ? value : (guessed(value, depth + 1, among) ?? value),
    );
    return write([pattern.template, ...said], (template) => known.get(template) ?? template);
  }
  return undefined;
}

interface Pattern {
  template: string;
  /** The places, in their order; one may be there twice. */
  order: readonly string[];
  /** The same, each once. */
  names: readonly string[];
  /** What is before, between and after them. */
  texts: readonly string[];
  /** It has too few words to be recognized by them. */
  bare: boolean;
}

/** What can be at a place where only a number, a size or a signal goes. */
const figuresAt: readonly [place: RegExp, form: RegExp][] = [
  [/^\{\{n\d?\}\}$/, /^\d[\d.,]*$/],
  [/^\{\{size\d?\}\}$/, /^\d[\d.,]*(?: ?[KMGT]?B)?$/],
  [/^\{\{signal\}\}$/, /^(?:SIG[A-Z]+\d*|signal \d+)$/],
];
const isFigure = (place: string) => figuresAt.some(([at]) => at.test(place));

const spoken = (template: string) => template.replaceAll(places, '').replaceAll(/[^A-Za-z]/g, '').length;

/** Templates with values, those with most words first. */
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

/** The values in a sentence of a template, or undefined if it is none of it. Each is as short as it can be. */
function valuesIn(message: string, { order, texts }: Pattern): string[] | undefined {
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
    if (figuresAt.some(([at, form]) => at.test(place) && !form.test(value))) return undefined;
    values.set(place, value);
    at = next + (text?.length ?? 0);
    if (at > end) return undefined;
  }
  return [...values.values()];
}
