import type { Json } from './types';

/** Returns a JSON value as an object; null if it isn't one. Agents may send anything. */
export function objectOf(value: Json | undefined): { [key: string]: Json } | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
}
