import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { defaultMember, isShared, membersIn } from '../../state/members';
import type { Member, Space } from '../../transport/api';

interface Asked {
  /** Whom the text is for: at least one. */
  members: readonly Member[];
  /** The one whose model, mode and commands are shown. */
  first: Member;
  /** The text names them; else the default member is meant. */
  named: boolean;
  /** Looks at what is written now. Always the same function. */
  look(text: string): void;
}

/** Who is asked by what is written. */
export function useAsked(space: Space): Asked {
  // A string, so that typing draws again only when someone else is meant.
  const [named, setNamed] = useState('');
  const { members } = space;
  const now = useRef({ text: '', members });
  const look = useCallback((text: string) => {
    now.current.text = text;
    const { members } = now.current;
    setNamed(isShared({ members }) ? membersIn(text, members).join('\n') : '');
  }, []);
  // Also when the members change: what is written stays.
  useEffect(() => {
    now.current.members = members;
    look(now.current.text);
  }, [members, look]);
  return useMemo(() => {
    const found = named.split('\n').flatMap((id) => members.find((member) => member.id === id) ?? []);
    const first = found[0] ?? defaultMember({ members });
    return { members: found.length === 0 ? [first] : found, first, named: found.length > 0, look };
  }, [named, members, look]);
}
