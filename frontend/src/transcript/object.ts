import type { Json } from './types';

/** A JSON value as an object; null where it is none. What agents send may be anything. */
export function objectOf(value: Json | undefined): { [key: string]: Json } | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
}
