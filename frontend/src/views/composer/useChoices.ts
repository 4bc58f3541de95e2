import { useState } from 'react';
import { setOption } from '../../commands/prompts';
import { t } from '../../i18n';
import { offeredOf, ordered } from '../../state/offered';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { translatedOption, useIsWeftAgent } from '../../state/weftAgent';
import type { Offered, SessionOption } from '../../transport/api';
import { oneLine } from '../parts/clean';

interface Choices {
  options: readonly SessionOption[];
  /** What the agent does without asking with the current values; '' until that is known. */
  acts: NonNullable<Offered['acts']>;
  /** Set by Weft, because the space needs an agent that asks. */
  held(option: SessionOption): boolean;
  choose(option: SessionOption, value: string | boolean): void;
}

/** The session options of a member. A chosen value is shown at once and reverted if it can't be set. */
export function useChoices(session: Session, memberId: string): Choices {
  const weft = useWeft();
  const offered = useStore(session.store, ({ conversation }) => offeredOf(conversation, memberId));
  const own = useIsWeftAgent(offered?.agentId);
  const [asked, setAsked] = useState<Readonly<Record<string, string | boolean>>>({});
  const listed = offered?.options ?? [];
  const options = ordered(own ? listed.map(translatedOption) : listed).map((option) => {
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
