import { t } from '../../i18n';
import { type Sentence, told } from '../../i18n/said';

/** What is said of an error. The agent that wants a sign-in is named: in a space there may be several. */
export function sentenceOf(failure: Sentence & { code: string }, agent: string | undefined): string {
  if (failure.code !== 'auth_required' || agent === undefined || failure.message.includes(agent))
    return told(failure);
  return t('signIn.first', { agent });
}
