import { vi } from 'vitest';

/** How long something may take to come about, in ms. It doesn't slow down what passes, and a busy machine is no failure. */
export const patience = 15_000;

// Vitest waits one second if it isn't told how long.
const { waitFor } = vi;
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: patience, ...options });
