import { t } from '../../i18n';
import type { Json } from '../../transcript/types';

/** An agent's capability: a label, and its name in the protocol. */
export interface Capability {
  words: string;
  raw: string;
}

/** Capabilities with a label, by their protocol names. */
const known = [
  'loadSession',
  'promptCapabilities_image',
  'promptCapabilities_audio',
  'promptCapabilities_embeddedContext',
  'mcpCapabilities_http',
  'mcpCapabilities_sse',
  'sessionCapabilities_close',
  'sessionCapabilities_delete',
  'sessionCapabilities_fork',
  'sessionCapabilities_list',
  'sessionCapabilities_resume',
  'sessionCapabilities_additionalDirectories',
  'auth_logout',
  'providers',
] as const;

/** The capabilities that an agent reports. Those without a label come last, by name. */
export function capabilitiesOf(value: Json): Capability[] {
  // A value that is `true` or an array as a whole names nothing.
  const names = namesIn(value).filter((name) => name !== '');
  const rank = (name: string) => {
    const as = knownAs(name);
    return as === undefined ? known.length : known.indexOf(as);
  };
  return names.sort((a, b) => rank(a) - rank(b)).map((raw) => ({ raw, words: wordsFor(raw) }));
}

function wordsFor(raw: string): string {
  const name = knownAs(raw);
  return name === undefined ? t('test.unknownCapability', { name: raw }) : t(`test.can.${name}`);
}

function knownAs(raw: string): (typeof known)[number] | undefined {
  return known.find((one) => one === raw.replaceAll('.', '_'));
}

/** The paths of reported capabilities, e.g. "loadSession", "promptCapabilities.image". */
function namesIn(value: Json, path = ''): string[] {
  if (value === true) return [path];
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [];
  // Newer capabilities are objects, whatever they contain.
  if (knownAs(path) !== undefined) return [path];
  const entries = Object.entries(value).filter(([key]) => key !== '_meta');
  const isGroup = path === '' || path.endsWith('Capabilities') || path === 'auth';
  if (entries.length === 0) return isGroup ? [] : [path];
  return entries.flatMap(([key, inner]) => namesIn(inner, path === '' ? key : `${path}.${key}`));
}
