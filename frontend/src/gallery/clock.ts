// The clock of the gallery stands still so that its screenshots stay the same. Import this before anything that reads
// the time.

/** 12 March 2026, 10:20 in UTC. */
export const now = Date.UTC(2026, 2, 12, 10, 20);

export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

Date.now = () => now;
