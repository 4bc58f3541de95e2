import { useEffect, useMemo, useRef, useState } from 'react';
import { newSpaceDraft } from '../../state/drafts';
import { useWeft } from '../../state/weft';
import type { DraftStart } from '../../transport/api';

interface StartDraft {
  /** Incremented when the draft is loaded, which resets dependent state. */
  read: number;
  /** The worktree chosen before, with its branch name if given. */
  wanted: { branch: string } | null;
  write(text: string): void;
  choose(change: Partial<DraftStart>): void;
  chooseTree(wanted: boolean, branch: string): void;
  flush(): void;
  /** Called when the space was created. */
  sent(): void;
}

/** Saves the state of the new-space form, and restores it here and in other windows. */
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
