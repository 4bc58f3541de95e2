import { t } from '../../i18n';

const thin = '\u202f';

/** A count with thin spaces between thousands. */
export function count(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, thin);
}

/** Shorter than this is "at once", and not worth a figure. */
const worthTelling = 100;

/** How long something took, or nothing where that was no time at all. */
export function tellDuration(ms: number | undefined): string {
  return ms === undefined || ms < worthTelling ? '' : duration(ms);
}

/** How long something took: "420 ms", "4.2 s", "2 min 5 s", "1 h 4 min". */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))}${thin}ms`;
  const seconds = ms / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)}${thin}s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}${thin}min ${whole % 60}${thin}s`;
  return `${Math.floor(minutes / 60)}${thin}h ${minutes % 60}${thin}min`;
}

/** The same in whole seconds, for what still runs. */
export function running(ms: number): string {
  const whole = Math.max(0, Math.floor(ms / 1000));
  return whole < 60 ? `${whole}${thin}s` : duration(whole * 1000);
}

/** How long to wait for something: seconds only where it is less than a minute. */
export function remaining(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (ms < 60_000) return running(ms);
  if (minutes < 60) return `${minutes}${thin}min`;
  return [`${Math.floor(minutes / 60)}${thin}h`, minutes % 60 > 0 ? `${minutes % 60}${thin}min` : '']
    .join(' ')
    .trim();
}

export function bytes(n: number): string {
  if (n < 1024) return `${n}${thin}B`;
  if (n < 1024 * 1024) return `${(n / 1024).toFixed(n < 10240 ? 1 : 0)}${thin}KB`;
  return `${(n / 1024 / 1024).toFixed(1)}${thin}MB`;
}

/** Tokens and the like: "950", "12.4k", "1.2M". */
export function short(n: number): string {
  if (n < 1000) return String(n);
  if (n < 1_000_000) return `${(n / 1000).toFixed(n < 100_000 ? 1 : 0)}k`;
  return `${(n / 1_000_000).toFixed(1)}M`;
}

/** An amount of money; small amounts keep the digits that say something. */
export function money(amount: number, currency: string): string {
  const digits = amount > 0 && amount < 0.995 ? 4 : 2;
  try {
    return amount.toLocaleString(undefined, {
      style: 'currency',
      currency,
      minimumFractionDigits: 2,
      maximumFractionDigits: digits,
    });
  } catch {
    return `${amount.toFixed(digits)} ${currency.slice(0, 8)}`;
  }
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How long ago something was, in a word or two. */
export function ago(at: number, now: number): string {
  const past = now - at;
  if (past < minute) return t('time.now');
  if (past < hour) return t('time.minutes', { n: Math.floor(past / minute) });
  if (past < day) return t('time.hours', { n: Math.floor(past / hour) });
  if (past < 7 * day) return t('time.days', { n: Math.floor(past / day) });
  return dayOf(new Date(at), new Date(now));
}

/** When something was, as a part of a sentence: "just now", "2 h ago", "on Mar 3". */
export function since(at: number, now: number): string {
  const past = now - at;
  // The clock of rows is up to half a minute ahead.
  if (past < minute) return t('time.justNow');
  return past < 7 * day ? t('time.ago', { ago: ago(at, now) }) : t('time.on', { date: ago(at, now) });
}

export function exact(at: number): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}

/** The time of a day, with the day where that is not today's. */
export function clock(at: number, now = Date.now()): string {
  const then = new Date(at);
  const today = new Date(now);
  const time = { hour: 'numeric', minute: '2-digit' } as const;
  if (then.toDateString() === today.toDateString()) return then.toLocaleTimeString(undefined, time);
  return `${dayOf(then, today)}, ${then.toLocaleTimeString(undefined, time)}`;
}

/** A day, with its year where that is not this one. */
function dayOf(then: Date, today: Date): string {
  return then.toLocaleDateString(undefined, {
    day: 'numeric',
    month: 'short',
    ...(then.getFullYear() === today.getFullYear() ? {} : { year: 'numeric' }),
  });
}
