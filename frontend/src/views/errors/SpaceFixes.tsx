import { useState } from 'react';
import { asCommandError } from '../../commands/failure';
import { sendPrompt } from '../../commands/prompts';
import { createSpace, pickFolder, setFolder } from '../../commands/spaces';
import { t } from '../../i18n';
import { defaultMember, isShared } from '../../state/members';
import { showFailure } from '../../state/notify';
import { commandsOf } from '../../state/offered';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Conversation, Message } from '../../transcript/model';
import type { Member, Space } from '../../transport/api';
import { FolderPicker } from '../spaces/FolderPicker';
import { type FixActions, Fixes } from './Fixes';
import type { ErrorPlace } from './fixes';

interface SpaceFixesProps {
  session: Session;
  space: Space;
  /** The member with the error. */
  member: Member;
  failure: { code: string; retryable?: boolean };
  place: ErrorPlace;
  actions: FixActions;
  signsIn?: boolean;
}

/** Buttons to fix an error in a space, including its folder and conversation. */
export function SpaceFixes({ session, space, member, failure, place, actions, signsIn }: SpaceFixesProps) {
  const weft = useWeft();
  const home = useStore(weft.server, (state) => state.about.home);
  const agent = useStore(weft.server, ({ agents }) => agents.find(({ id }) => id === member.agentId));
  const compacts = useStore(session.store, ({ conversation }) =>
    commandsOf(conversation, member.id).some(({ name }) => name === 'compact'),
  );
  const [picking, setPicking] = useState(false);

  /** Opens a space with the same agents and the last prompt ready to send. */
  const beginAgain = (folder: string, noFolder: boolean) =>
    weft.attempt(t('failed.create'), () =>
      createSpace(weft, defaultMember(space).agentId, folder, {
        draft: lastPrompt(session.store.get().conversation),
        ...(noFolder && { noFolder }),
        ...(isShared(space) && { members: seedsOf(space) }),
      }),
    );
  const moveTo = async (folder: string) => {
    setPicking(false);
    // A session belongs to its folder: once the agent has answered, another folder needs another space.
    if (hasAnswers(session.store.get().conversation)) return beginAgain(folder, false);
    await weft.attempt(t('failed.setFolder'), async () => {
      await setFolder(weft, space.id, folder);
      actions.retry?.();
    });
  };
  const choose = async () => {
    if (!weft.inWindow) return setPicking(true);
    try {
      const folder = await pickFolder(weft, home);
      if (folder !== '') await moveTo(folder);
    } catch (error) {
      showFailure(t('failed.folder'), asCommandError(error));
    }
  };
  return (
    <>
      <Fixes
        failure={failure}
        place={place}
        agent={agent}
        signsIn={signsIn ?? false}
        actions={{
          ...actions,
          chooseFolder: space.noFolder ? undefined : () => void choose(),
          newSpace: () => void beginAgain(space.folder, space.noFolder),
          compact: compacts
            ? () =>
                void weft.attempt(t('failed.send'), () =>
                  sendPrompt(weft, { spaceId: space.id, text: '/compact', to: [member.id] }),
                )
            : undefined,
        }}
      />
      {picking && (
        <FolderPicker start={home} onPick={(path) => void moveTo(path)} onClose={() => setPicking(false)} />
      )}
    </>
  );
}

function seedsOf({ members }: Space) {
  const order = members.toSorted((a, b) => Number(b.default) - Number(a.default));
  return order.map(({ name, agentId, role, speaks, reads }) => ({ name, agentId, role, speaks, reads }));
}

function hasAnswers({ messages, hasBefore }: Conversation): boolean {
  return hasBefore || messages.some(({ role, segments }) => role === 'agent' && segments.length > 0);
}

function lastPrompt({ messages }: Conversation): string {
  return textOf(messages.findLast(({ role }) => role === 'user'));
}

function textOf(message: Message | undefined): string {
  return (message?.segments ?? [])
    .flatMap((segment) => (segment.type === 'text' ? [segment.text.toString()] : []))
    .join('\n');
}
