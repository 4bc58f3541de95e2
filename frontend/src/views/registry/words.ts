import { t } from '../../i18n';
import type { Install, RegistryAgent, RegistryList, RegistryWay } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { bytes } from '../parts/numbers';
import { joinWords } from '../settings/commandLine';

/** A short name of the list's source. */
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

/** The command that will start an installed agent, as far as known in advance. */
export function startLine(way: RegistryWay): string {
  const program = way.kind === 'binary' ? way.program : t('registry.ownProgram', { name: way.program });
  return visibleLineBreaks([program, joinWords(way.args)].filter((part) => part !== '').join(' '));
}

/** A part of a command line, with line breaks made visible. */
export function visibleLineBreaks(text: string): string {
  return oneLine(text.replace(/[\n\r\t]/g, (char) => JSON.stringify(char).slice(1, -1)));
}

/** The progress of an installation as text. */
export function progressWords({ step, done, total }: Install): string {
  const what = t(`registry.step.${step === '' ? 'start' : step}`);
  if (step === 'packages') {
    return done > 0 ? `${what} · ${t('registry.fetched', { count: done, n: done })}` : what;
  }
  if (done === 0) return what;
  const amount = total > 0 ? t('registry.ofTotal', { done: bytes(done), total: bytes(total) }) : bytes(done);
  return `${what} · ${amount}`;
}

/** Reports whether an installation has not ended yet. */
export function isActive({ state }: Install): boolean {
  return state === 'running' || state === 'asking';
}

/** Reports whether an agent matches all words of a search. */
export function isWanted(agent: RegistryAgent, query: string): boolean {
  const text = [agent.id, agent.name, agent.description, ...agent.authors].join(' ').toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
