import { objectOf } from '../../transcript/object';
import type { Json } from '../../transcript/types';

// What an agent sends to be displayed may be anything, or half of it. These take what there is.

export type Fields = { [key: string]: Json };

/** A longer line is cut: the whole of it is in what can be copied. */
const longestLine = 500;
const longestText = 20_000;

/** A text, also of a number; empty where it is neither. */
export function text(value: Json | undefined): string {
  if (typeof value === 'number') return String(value);
  return typeof value !== 'string' ? '' : cut(value, longestText);
}

/** A text for one line. */
export function line(value: Json | undefined): string {
  return cut(text(value), longestLine);
}

function cut(value: string, most: number): string {
  return value.length > most ? `${value.slice(0, most)}…` : value;
}

export function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of a list. */
export function fieldsIn(value: Json | undefined): readonly Fields[] {
  return list(value)
    .map(objectOf)
    .filter((one) => one !== null);
}

/** Names and values to be shown beside each other. */
export interface Fact {
  label: string;
  value: string;
}

export function facts(value: Json | undefined): Fact[] {
  return fieldsIn(value).map((one) => ({ label: line(one['label']), value: told(one['value']) }));
}

/** Any value as a text: what is nested, as JSON. */
export function told(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') return cut(pretty(value), longestText);
  return typeof value === 'boolean' ? String(value) : text(value);
}

/** JSON for reading; empty of what nests too deep to be written. */
export function pretty(value: Json | undefined): string {
  try {
    return JSON.stringify(value, null, 2) ?? '';
  } catch {
    return '';
  }
}
