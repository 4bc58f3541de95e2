import { useEffect } from 'react';
import { sendPrompt } from '../../commands/prompts';
import { t } from '../../i18n';
import { Sentence, withSlots } from '../../i18n/Sentence';
import { defaultMember } from '../../state/members';
import { offeredOf } from '../../state/offered';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Space } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { shortPath } from '../parts/paths';

const guideAsks = ['summarise', 'todos', 'find', 'contributing'] as const;
const agentAsks = ['explain', 'bug', 'tests'] as const;

/** An empty space: what to do here. */
export function Greeting({ space }: { space: Space }) {
  const weft = useWeft();
  // The agent's options are known once it runs.
  const { id: memberId, name } = defaultMember(space);
  useEffect(() => weft.session(space.id).prepare(memberId), [weft, space.id, memberId]);
  // Before signing in nothing can be asked, and its terminal needs the space.
  const signIn = useStore(
    weft.session(space.id).store,
    ({ startErrors, conversation }) =>
      startErrors[memberId]?.code === 'auth_required' || offeredOf(conversation, memberId)?.signIn === true,
  );
  const home = useStore(weft.server, (state) => state.about.home);
  const guide = useStore(
    weft.server,
    ({ agents }) => agents.find(({ id }) => id === space.agentId)?.source === 'builtin',
  );
  const asks = guide ? guideAsks.map((key) => t(`ask.${key}`)) : agentAsks.map((key) => t(`ask.${key}`));
  const send = (text: string) =>
    void weft.attempt(t('failed.send'), async () => {
      await sendPrompt(weft, { spaceId: space.id, text });
    });
  return (
    <div className="greeting">
      <div className="greeting-inner">
        <h2 className="page-title">{t('greeting.title', { agent: oneLine(name) })}</h2>
        <p className="page-lead">
          {space.noFolder ? (
            t('greeting.noFolder', { agent: oneLine(space.agentName) })
          ) : (
            <Sentence
              text={withSlots((slot) =>
                guide
                  ? t('greeting.guide', { folder: slot('folder') })
                  : t('greeting.agent', { agent: oneLine(space.agentName), folder: slot('folder') }),
              )}
              slots={{
                folder: (
                  <span className="mono greeting-folder">{oneLine(shortPath(space.folder, home))}</span>
                ),
              }}
            />
          )}
        </p>
        {!signIn && !space.noFolder && (
          <ul className="suggestions" aria-label={t('greeting.asks')}>
            {asks.map((ask) => (
              <li key={ask}>
                <button type="button" className="suggestion" onClick={() => send(ask)}>
                  {ask}
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}
