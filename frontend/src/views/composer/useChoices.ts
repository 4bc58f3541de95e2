import { useState } from 'react';
import { setOption } from '../../commands/prompts';
import { t } from '../../i18n';
import { offeredOf, ordered } from '../../state/offered';
import { toldOption, useWefts } from '../../state/ownWords';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Offered, SessionOption } from '../../transport/api';
import { oneLine } from '../parts/clean';

interface Choices {
  options: readonly SessionOption[];
  /** What the agent does without asking while they are as they are; '' as long as that isn't known. */
  acts: NonNullable<Offered['acts']>;
  /** Weft has set it, because the space needs an agent that asks. */
  held(option: SessionOption): boolean;
  choose(option: SessionOption, value: string | boolean): void;
}

/** What a member's session offers to choose. What was chosen is shown at once, and goes again if it can't be set. */
export function useChoices(session: Session, memberId: string): Choices {
  const weft = useWeft();
  const offered = useStore(session.store, ({ conversation }) => offeredOf(conversation, memberId));
  const own = useWefts(offered?.agentId);
  const [asked, setAsked] = useState<Readonly<Record<string, string | boolean>>>({});
  const listed = offered?.options ?? [];
  const options = ordered(own ? listed.map(toldOption) : listed).map((option) => {
    const wish = asked[option.id];
    return wish === undefined ? option : { ...option, current: wish };
  });
  const choose = async (option: SessionOption, value: string | boolean) => {
    if (value === option.current) return;
    setAsked((now) => ({ ...now, [option.id]: value }));
    await weft.attempt(t('failed.option', { name: oneLine(option.name) }), () =>
      setOption(weft, { spaceId: session.spaceId, memberId, optionId: option.id, value }),
    );
    setAsked(({ [option.id]: _, ...others }) => others);
  };
  return {
    options,
    acts: offered?.acts ?? '',
    held: ({ id }) => offered?.held?.some((held) => held.id === id) === true,
    choose: (option, value) => void choose(option, value),
  };
}
