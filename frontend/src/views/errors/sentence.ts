import { t } from '../../i18n';
import { type Sentence, translated } from '../../i18n/said';

/** The backend's message for an agent that requires a sign-in without a reason. */
const signInFirst = 'Sign in to the agent first.';

/** The message of an error. It names the agent that requires a sign-in, because a space may have several. */
export function sentenceOf(failure: Sentence & { code: string }, agent: string | undefined): string {
  if (failure.message !== signInFirst || agent === undefined) return translated(failure);
  return t('signIn.first', { agent });
}
