import { useEffect, useMemo, useRef, useState } from 'react';
import { newSpaceDraft } from '../../state/drafts';
import { useWeft } from '../../state/weft';
import type { DraftStart } from '../../transport/api';

interface StartDraft {
  /** Counts how often the draft was shown: what keeps a state of its own begins again. */
  read: number;
  /** The worktree that was chosen before, with its branch if that was named. */
  wanted: { branch: string } | null;
  write(text: string): void;
  choose(change: Partial<DraftStart>): void;
  chooseTree(wanted: boolean, branch: string): void;
  flush(): void;
  /** The space is made. */
  sent(): void;
}

/** Keeps what is typed and chosen in the form for a new space, and shows it again, here and in other windows. */
export function useStartDraft(onShown: (start: DraftStart | null, text: string) => void): StartDraft {
  const { drafts } = useWeft();
  const [read, setRead] = useState(0);
  const [wanted, setWanted] = useState<StartDraft['wanted']>(null);
  const shown = useRef(onShown);
  shown.current = onShown;
  useEffect(() => {
    const show = ({ start, text }: ReturnType<typeof drafts.content>) => {
      setWanted(start?.worktree === true ? { branch: start.branch ?? '' } : null);
      setRead((n) => n + 1);
      shown.current(start, text);
    };
    const kept = drafts.content(newSpaceDraft);
    if (kept.text !== '' || kept.start !== null) show(kept);
    return drafts.watch(newSpaceDraft, show);
  }, [drafts]);
  return useMemo(() => {
    const choose = (change: Partial<DraftStart>) => {
      const before = drafts.content(newSpaceDraft).start;
      drafts.change(newSpaceDraft, { start: { ...before, ...change } });
    };
    return {
      read,
      wanted,
      write: (text) => drafts.change(newSpaceDraft, { text }),
      choose,
      chooseTree: (worktree, branch) => choose({ worktree, branch }),
      flush: () => void drafts.flush(newSpaceDraft),
      sent: () => drafts.clear(newSpaceDraft),
    };
  }, [drafts, read, wanted]);
}
