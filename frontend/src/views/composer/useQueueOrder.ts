import { useEffect, useRef, useState } from 'react';
import { moveQueued } from '../../commands/prompts';
import { t } from '../../i18n';
import { withMoved } from '../../state/queue';
import { useWeft } from '../../state/weft';
import type { QueuedPrompt } from '../../transport/api';

interface Order {
  /** The prompts in the user's order. */
  prompts: readonly QueuedPrompt[];
  move(id: string, before: string): void;
}

/** The order of the queue: the user's changes apply at once, later changes come from the backend. */
export function useQueueOrder(spaceId: string, told: readonly QueuedPrompt[]): Order {
  const weft = useWeft();
  const [wish, setWish] = useState<readonly string[] | null>(null);
  const pending = useRef(0);
  /** The previous command: two commands in flight may arrive in either order. */
  const before = useRef<Promise<void>>(Promise.resolve());
  const order = told.map(({ id }) => id).join(' ');
  // Once no command is in flight, the backend's order counts.
  // biome-ignore lint/correctness/useExhaustiveDependencies: run whenever the backend sends another order
  useEffect(() => {
    if (pending.current === 0) setWish(null);
  }, [order]);
  const prompts = wish === null ? told : sorted(told, wish);
  const move = (id: string, to: string) => {
    const next = withMoved(
      prompts.map((prompt) => prompt.id),
      id,
      to,
    );
    setWish(next);
    pending.current++;
    const earlier = before.current;
    before.current = weft.attempt(t('failed.queue'), async () => {
      await earlier;
      try {
        await moveQueued(weft, { spaceId, promptId: id }, to);
        pending.current--;
      } catch (error) {
        pending.current--;
        setWish(null);
        throw error;
      }
    });
  };
  return { prompts, move };
}

function sorted(prompts: readonly QueuedPrompt[], ids: readonly string[]): QueuedPrompt[] {
  const place = ({ id }: QueuedPrompt) => {
    const at = ids.indexOf(id);
    return at < 0 ? ids.length : at;
  };
  return prompts.toSorted((a, b) => place(a) - place(b));
}
