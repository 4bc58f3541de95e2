import { t } from '../../i18n';
import { type Sentence, told } from '../../i18n/said';

/** What the backend says of an agent that wants a sign-in, and gives no reason. */
const signInFirst = 'Sign in to the agent first.';

/** What is said of an error. The agent that wants a sign-in is named: in a space there may be several. */
export function sentenceOf(failure: Sentence & { code: string }, agent: string | undefined): string {
  if (failure.message !== signInFirst || agent === undefined) return told(failure);
  return t('signIn.first', { agent });
}
