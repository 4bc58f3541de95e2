import { objectOf } from '../../transcript/object';
import type { Json } from '../../transcript/types';

// Reads the input of displays defensively: agents may send anything, or only part of it.

export type Fields = { [key: string]: Json };

/** Longer lines are truncated: copying includes all of it. */
const longestLine = 500;
const longestText = 20_000;

/** Returns a string or number as text; empty for anything else. */
export function text(value: Json | undefined): string {
  if (typeof value === 'number') return String(value);
  return typeof value !== 'string' ? '' : cut(value, longestText);
}

/** Text for one line. */
export function line(value: Json | undefined): string {
  return cut(text(value), longestLine);
}

function cut(value: string, most: number): string {
  return value.length > most ? `${value.slice(0, most)}…` : value;
}

export function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** The objects in an array. */
export function fieldsIn(value: Json | undefined): readonly Fields[] {
  return list(value)
    .map(objectOf)
    .filter((one) => one !== null);
}

/** A name with its value. */
export interface Fact {
  label: string;
  value: string;
}

export function facts(value: Json | undefined): Fact[] {
  return fieldsIn(value).map((one) => ({ label: line(one['label']), value: textOf(one['value']) }));
}

/** Any value as text; nested values as JSON. */
export function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') return cut(pretty(value), longestText);
  return typeof value === 'boolean' ? String(value) : text(value);
}

/** Formatted JSON; empty if it is nested too deeply. */
export function pretty(value: Json | undefined): string {
  try {
    return JSON.stringify(value, null, 2) ?? '';
  } catch {
    return '';
  }
}
