import { t } from '../../i18n';
import { joinFacts } from '../../i18n/formats';
import type { Words } from '../../transcript/labels';
import { count } from '../parts/numbers';

const kinds = ['read', 'edit', 'delete', 'move', 'search', 'fetch', 'execute', 'switch_mode'] as const;
const bareKinds = ['edit', 'delete', 'move'] as const;
const stateWords = ['failed', 'rejected', 'cancelled'] as const;

/** The translated strings of the summary. */
export const words: Words = {
  beside: joinFacts,
  calls: (n) => t('group.calls', { count: n, n: count(n) }),
  thought: () => t('group.thought'),
  did: (kind, n, bare) => {
    const short = bare && bareKinds.find((one) => one === kind);
    if (short) return t(`group.didBare.${short}`, { n: count(n) });
    const known = kinds.find((one) => one === kind);
    return known === undefined ? '' : t(`group.did.${known}`, { count: n, n: count(n) });
  },
  state: (status, n) => {
    const known = stateWords.find((one) => one === status);
    return known === undefined ? '' : t(`group.state.${known}`, { count: n, n: count(n) });
  },
};

/** The same for a line with a separate button for the failed calls. */
export const wordsBesideFailed: Words = {
  ...words,
  state: (status, n) => (status === 'failed' ? '' : words.state(status, n)),
};
