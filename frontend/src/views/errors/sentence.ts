import { t } from '../../i18n';

/** What is said of an error. The agent that wants a sign-in is named: in a space there may be several. */
export function sentenceOf(
  { code, message }: { code: string; message: string },
  agent: string | undefined,
): string {
  if (code !== 'auth_required' || agent === undefined || message.includes(agent)) return message;
  return t('signIn.first', { agent });
}
