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
let patterns: Pattern[] | undefined;

/** From now on sentences are in the language of these templates. None is English. */
export function learn(templates: Readonly<Record<string, string>> = {}): void {
  known = new Map(Object.entries(templates));
  patterns = undefined;
}

/** A sentence of the backend in the language that is chosen, or in English if it isn't known in that. */
export function told(sentence: string | Sentence): string {
  const { message, said } = typeof sentence === 'string' ? { message: sentence, said: undefined } : sentence;
  if (known.size === 0 || message === '') return message;
  if (said !== undefined && isSaid(said)) return write(said, (template) => known.get(template) ?? template);
  return guessed(message) ?? message;
}

/** A sentence in English, as the backend writes it. */
export const english = (said: Said): string => write(said, (template) => template);

function write([template, ...values]: Said, words: (template: string) => string): string {
  const texts = values.map((value) => (typeof value === 'string' ? value : write(value, words)));
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

interface Pattern {
  template: string;
  pattern: RegExp;
}

/** Letters that a template must have to be recognized in a sentence: others would fit too many. */
const letters = 12;

/**
 * The translation of a sentence that came without its template: one stored by an earlier version, or a field that is a text
 * alone. Undefined if no template fits. The values are taken from the sentence, whose order of words is that of the template.
 */
function guessed(message: string): string | undefined {
  const whole = known.get(message);
  if (whole !== undefined) return whole;
  patterns ??= patternsOf([...known.keys()]);
  for (const { template, pattern } of patterns) {
    const values = pattern.exec(message)?.slice(1);
    if (values !== undefined)
      return write(
        [template, ...values.map((value) => guessed(value) ?? value)],
        (one) => known.get(one) ?? one,
      );
  }
  return undefined;
}

const spoken = (template: string) => template.replaceAll(places, '').replaceAll(/[^A-Za-z]/g, '').length;

/** Templates as patterns, those with most words first. */
function patternsOf(templates: readonly string[]): Pattern[] {
  return templates
    .filter((template) => spoken(template) >= letters && template.match(places) !== null)
    .sort((a, b) => spoken(b) - spoken(a))
    .map((template) => ({ template, pattern: patternOf(template) }));
}

function patternOf(template: string): RegExp {
  const order = [...new Set(template.match(places))];
  const seen = new Set<string>();
  const text = template
    .split(/(\{\{[A-Za-z0-9_]+\}\})/)
    .map((piece) => {
      if (!order.includes(piece)) return piece.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
      if (seen.has(piece)) return `\\${order.indexOf(piece) + 1}`;
      seen.add(piece);
      return '([\\s\\S]*?)';
    })
    .join('');
  return new RegExp(`^${text}$`, 'u');
}
