import { t } from '../../i18n';
import { bytes, dateFormat, number, numberFormat, relative } from '../../i18n/formats';

export { bytes };

/** Formats a count with thousands separators. */
export function count(n: number): string {
  return number(n);
}

/** Shorter durations are not shown. */
const shortestShown = 100;

/** Formats a duration, or returns '' if it is too short. */
export function durationOrEmpty(ms: number | undefined): string {
  return ms === undefined || ms < shortestShown ? '' : duration(ms);
}

/** Formats a duration: "420 ms", "4.2 s", "2 min 5 s", "1 h 4 min". */
export function duration(ms: number): string {
  if (ms < 1000) return t('duration.ms', { n: Math.max(0, Math.round(ms)) });
  const seconds = ms / 1000;
  if (seconds < 59.95) return t('duration.s', { n: number(seconds, 1) });
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return t('duration.minS', { min: minutes, s: whole % 60 });
  return t('duration.hMin', { h: Math.floor(minutes / 60), min: minutes % 60 });
}

/** The same in whole seconds, for running durations. */
export function running(ms: number): string {
  const whole = Math.max(0, Math.floor(ms / 1000));
  return whole < 60 ? t('duration.s', { n: whole }) : duration(whole * 1000);
}

/** Formats a waiting time, with seconds only below a minute. */
export function remaining(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (ms < 60_000) return running(ms);
  if (minutes < 60) return t('duration.min', { n: minutes });
  const h = Math.floor(minutes / 60);
  return minutes % 60 > 0 ? t('duration.hMin', { h, min: minutes % 60 }) : t('duration.h', { n: h });
}

/** Formats large numbers such as tokens: "950", "12.4K", "1.2M". */
export function short(n: number): string {
  return numberFormat({
    notation: 'compact',
    maximumFractionDigits: n < 100_000 || n >= 1_000_000 ? 1 : 0,
  }).format(n);
}

/** Formats an amount of money; small amounts keep their significant digits. */
export function money(amount: number, currency: string): string {
  const digits = amount > 0 && amount < 0.995 ? 4 : 2;
  const figures = { minimumFractionDigits: 2, maximumFractionDigits: digits };
  try {
    return numberFormat({ style: 'currency', currency, ...figures }).format(amount);
  } catch {
    return `${number(amount, digits)} ${currency.slice(0, 8)}`;
  }
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Formats how long ago something was, in a word or two. */
export function ago(at: number, now: number): string {
  const past = now - at;
  if (past < minute) return t('time.now');
  if (past < hour) return t('duration.min', { n: Math.floor(past / minute) });
  if (past < day) return t('duration.h', { n: Math.floor(past / hour) });
  if (past < 7 * day) return t('duration.d', { n: Math.floor(past / day) });
  return dayOf(new Date(at), new Date(now));
}

/** Formats a past time as part of a sentence: "just now", "2 hours ago", "on Mar 3". */
export function since(at: number, now: number): string {
  const past = now - at;
  // The clock of rows may be up to half a minute ahead.
  if (past < minute) return t('time.justNow');
  if (past < hour) return relative(-Math.floor(past / minute), 'minute');
  if (past < day) return relative(-Math.floor(past / hour), 'hour');
  if (past < 7 * day) return relative(-Math.floor(past / day), 'day');
  return t('time.on', { date: dayOf(new Date(at), new Date(now)) });
}

export function exact(at: number): string {
  return dateFormat({ dateStyle: 'medium', timeStyle: 'medium' }).format(at);
}

/** Formats a time of day, with the date if that is not today. */
export function clock(at: number, now = Date.now()): string {
  const then = new Date(at);
  const today = new Date(now);
  const time = { hour: 'numeric', minute: '2-digit' } as const;
  if (then.toDateString() === today.toDateString()) return dateFormat(time).format(then);
  return dateFormat({ ...dayParts(then, today), ...time }).format(then);
}

/** Formats a date, with the year if that is not this year. */
function dayOf(then: Date, today: Date): string {
  return dateFormat(dayParts(then, today)).format(then);
}

function dayParts(then: Date, today: Date): Intl.DateTimeFormatOptions {
  const year: Intl.DateTimeFormatOptions =
    then.getFullYear() === today.getFullYear() ? {} : { year: 'numeric' };
  return { day: 'numeric', month: 'short', ...year };
}
