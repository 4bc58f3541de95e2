import { useState } from 'react';
import { t } from '../../i18n';
import type { Space, Wait } from '../../transport/api';
import { oneLine } from '../parts/clean';

/** The kind of a wait that any message in the space answers. */
export const replyKind = 'reply';

interface Reply {
  /** The wait that the text answers; null if it is a prompt. */
  wait: Wait | null;
  /** The user wants to write to the members of the space and answer later. */
  dismiss(): void;
}

/** Returns the run that the text replies to, if a run waits for a reply and the text mentions no member. */
export function useReply(space: Space, named: boolean): Reply {
  const [dismissed, setDismissed] = useState('');
  const oldest = (space.waits ?? []).find(({ kind }) => kind === replyKind);
  const wait = oldest === undefined || named || oldest.requestId === dismissed ? null : oldest;
  return { wait, dismiss: () => setDismissed(oldest?.requestId ?? '') };
}

/** Who waits for the reply. */
export function nameOf({ by }: Wait): string {
  return oneLine(by ?? '') || t('transcript.agent');
}
