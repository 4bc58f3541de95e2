import { t } from '../../i18n';
import type { Install, RegistryAgent, RegistryList, RegistryWay } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { bytes } from '../parts/numbers';
import { joinWords } from '../settings/commandLine';

/** Where the list comes from, in a few words. */
export function sourceName(source: string): string {
  try {
    const url = new URL(source);
    if (url.protocol === 'file:') return oneLine(decodeURIComponent(url.pathname));
    return oneLine(url.host);
  } catch {
    return oneLine(source);
  }
}

export function fromWhere(list: RegistryList): string {
  if (list.shipped) return t('registry.shippedOnly');
  if (list.source.startsWith('file:')) return t('registry.fromFile', { path: sourceName(list.source) });
  return t('registry.from', { host: sourceName(list.source) });
}

/** How an agent is started once it is installed, as far as it is known before. */
export function startLine(way: RegistryWay): string {
  const program = way.kind === 'binary' ? way.program : t('registry.ownProgram', { name: way.program });
  return exactly([program, joinWords(way.args)].filter((part) => part !== '').join(' '));
}

/** A piece of a command line: also a line break in it is shown. */
export function exactly(text: string): string {
  return oneLine(text.replace(/[\n\r\t]/g, (char) => JSON.stringify(char).slice(1, -1)));
}

/** How far an installation is, in words. */
export function progressWords({ step, done, total }: Install): string {
  const what = t(`registry.step.${step === '' ? 'start' : step}`);
  if (step === 'packages') {
    return done > 0 ? `${what} · ${t('registry.fetched', { count: done, n: done })}` : what;
  }
  if (done === 0) return what;
  const amount = total > 0 ? t('registry.ofTotal', { done: bytes(done), total: bytes(total) }) : bytes(done);
  return `${what} · ${amount}`;
}

/** Whether an installation has not ended yet. */
export function isActive({ state }: Install): boolean {
  return state === 'running' || state === 'asking';
}

/** Whether the words of a search all are in what is known of an agent. */
export function isWanted(agent: RegistryAgent, query: string): boolean {
  const text = [agent.id, agent.name, agent.description, ...agent.authors].join(' ').toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
