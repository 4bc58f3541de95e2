import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { defaultMember, isShared, mentionedMembers } from '../../state/members';
import type { Member, Space } from '../../transport/api';

interface Recipients {
  /** The recipients of the text: at least one. */
  members: readonly Member[];
  /** The composer shows the model, mode and commands of this member. */
  first: Member;
  /** The text mentions them; otherwise it is the default member. */
  mentioned: boolean;
  /** Updates the recipients from the text. A stable function. */
  look(text: string): void;
}

/** Returns the recipients of the text. */
export function useRecipients(space: Space): Recipients {
  // A string, so that typing only re-renders when the recipients change.
  const [mentioned, setMentioned] = useState('');
  const { members } = space;
  const now = useRef({ text: '', members });
  const look = useCallback((text: string) => {
    now.current.text = text;
    const { members } = now.current;
    setMentioned(isShared({ members }) ? mentionedMembers(text, members).join('\n') : '');
  }, []);
  // Also when the members change, because the text stays.
  useEffect(() => {
    now.current.members = members;
    look(now.current.text);
  }, [members, look]);
  return useMemo(() => {
    const found = mentioned.split('\n').flatMap((id) => members.find((member) => member.id === id) ?? []);
    const first = found[0] ?? defaultMember({ members });
    return { members: found.length === 0 ? [first] : found, first, mentioned: found.length > 0, look };
  }, [mentioned, members, look]);
}
