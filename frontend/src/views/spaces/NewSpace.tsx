import { ArrowUp, History, Users } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { asCommandError } from '../../commands/failure';
import { sendPrompt } from '../../commands/prompts';
import { createSpace } from '../../commands/spaces';
import { t } from '../../i18n';
import { mentionedMembers, nameError, withAddedMember } from '../../state/members';
import { say, showFailure } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { MemberSeed } from '../../transport/api';
import { typedParts } from '../composer/promptParts';
import { afterDialogs } from '../parts/afterDialogs';
import { oneLine } from '../parts/clean';
import { inactiveWhile } from '../parts/inactiveWhile';
import { useRest } from '../shell/later';
import { AgentGrid } from './AgentGrid';
import { FolderChoice } from './FolderChoice';
import { StartCards } from './StartCards';
import { useStartAgent, useStartFolder } from './useStart';
import { useStartDraft } from './useStartDraft';
import type { WorktreeWish } from './WorktreeChoice';
import './spaces.css';

/** The form of a new space: agents, folder and the first prompt. */
export function NewSpace() {
  const weft = useWeft();
  const spaces = useStore(weft.server, (state) => state.spaces);
  const agent = useStartAgent();
  const folder = useStartFolder();
  const { ready, chosen } = agent;
  const where = folder.folder;
  const [none, setNone] = useState(false);
  const [earlier, setEarlier] = useState(false);
  const [adding, setAdding] = useState<'command' | 'model' | null>(null);
  const [busy, setBusy] = useState(false);
  const [text, setText] = useState('');
  const [team, setTeam] = useState<readonly MemberSeed[]>([]);
  const [wish, setWish] = useState<WorktreeWish | null>(null);
  const [wrong, setWrong] = useState('');
  const [several, setSeveral] = useState(false);
  const draft = useStartDraft((start, text) => {
    setText(text);
    if (start === null) return;
    if (start.agentId !== undefined) agent.pick(start.agentId);
    if (start.folder !== undefined) folder.pick(start.folder);
    setNone(start.noFolder === true);
    // Some of their agents may be gone.
    const members = (start.members ?? []).filter(({ agentId }) => ready.some(({ id }) => id === agentId));
    setTeam(members);
    setSeveral(members.length > 0);
  });
  const field = useRef<HTMLTextAreaElement>(null);
  const rest = useRest();
  const tree = none ? null : wish;
  const first = spaces.length === 0;
  const Agents = first ? StartCards : AgentGrid;

  useLayoutEffect(() => field.current?.focus({ preventScroll: true }), []);

  const begin = useStore(weft.dialogs, (state) => state.beginIn);
  // biome-ignore lint/correctness/useExhaustiveDependencies: apply it once for each request
  useEffect(() => {
    if (begin === null) return;
    weft.dialogs.set({ beginIn: null });
    folder.pick(begin);
    setNone(false);
    draft.choose({ folder: begin, noFolder: false });
  }, [begin]);

  const pickAgent = (agentId: string) => {
    agent.pick(agentId);
    draft.choose({ agentId });
  };
  const changeTeam = (members: readonly MemberSeed[]) => {
    setTeam(members);
    draft.choose({ members: [...members] });
  };
  const create = async (send = true) => {
    const agentId = team[0]?.agentId ?? chosen?.id;
    if (agentId === undefined || busy) return;
    const names = team.map(({ name }) => name);
    const wrongs = names.map((name, i) => nameError(name, names.toSpliced(i, 1)));
    const nameless = wrongs.find((why) => why !== null) ?? null;
    if (nameless !== null) return say(t(`members.wrongName.${nameless}`));
    setBusy(true);
    setWrong('');
    try {
      const space = await createSpace(weft, agentId, where, {
        ...(none && { noFolder: true }),
        ...(tree !== null && { words: text, worktree: tree }),
        ...(team.length > 0 && { members: [...team] }),
        ...(!send && { draft: text }),
      });
      draft.sent();
      if (!send || text.trim() === '') return;
      const parts = await typedParts(weft, space, text);
      await sendPrompt(weft, {
        spaceId: space.id,
        text,
        to: mentionedMembers(text, space.members),
        ...(parts.length > 0 && { parts }),
      });
    } catch (error) {
      setBusy(false);
      const { code, message } = asCommandError(error);
      // A worktree error is shown at the worktree options while they are visible.
      if (field.current !== null && tree !== null && aboutWorktree.includes(code)) setWrong(message);
      else showFailure(t('failed.create'), error);
    }
  };

  return (
    <main className="new-space-page" data-first={first || undefined}>
      <div className="new-space-inner">
        <h1 className="page-title">{t(first ? 'newSpace.welcome' : 'newSpace.title')}</h1>
        <p className="page-lead">{t(first ? 'newSpace.welcomeLead' : 'newSpace.lead')}</p>

        {rest !== null && <rest.ImportOffer first={first} />}

        <section className={first ? undefined : 'choice'} aria-labelledby="choose-agent">
          <h2 id="choose-agent" className={first && team.length === 0 ? 'visually-hidden' : 'choice-title'}>
            {t(team.length === 0 ? 'newSpace.agent' : 'newSpace.agents')}
          </h2>
          {team.length === 0 && (
            <Agents ready={ready} chosen={chosen} onChoose={pickAgent} onAdd={setAdding} />
          )}
          {agent.gone !== null && chosen !== undefined && team.length === 0 && (
            <p className="choice-note" role="status">
              {t('newSpace.agentGone', { agent: oneLine(agent.gone.name), other: oneLine(chosen.name) })}
            </p>
          )}
          {rest !== null && ready.length > 0 && (!first || several) && (
            <rest.Team agents={ready} chosen={chosen} team={team} onChange={changeTeam} />
          )}
          {first && !several && ready.length > 0 && (
            <button
              type="button"
              className="text-button team-link"
              onClick={() => {
                setSeveral(true);
                changeTeam(withAddedMember([], chosen, ready));
              }}
            >
              <Users size={13} aria-hidden />
              {t('start.team')}
            </button>
          )}
        </section>

        <section className="choice" aria-labelledby="choose-folder">
          <h2 id="choose-folder" className="choice-title">
            {t('newSpace.folder')}
          </h2>
          <FolderChoice
            folder={where}
            gone={folder.gone}
            none={none}
            onPick={(path) => {
              folder.pick(path);
              draft.choose({ folder: path });
            }}
            onNone={(noFolder) => {
              setNone(noFolder);
              draft.choose({ noFolder });
            }}
          />
          {rest !== null && !none && (
            <rest.WorktreeChoice
              key={draft.read}
              folder={where}
              words={text}
              wrong={wrong}
              wanted={draft.wanted}
              onChange={setWish}
              onChoose={draft.chooseTree}
            />
          )}
        </section>

        <form
          className="composer first-prompt"
          onSubmit={(event) => {
            event.preventDefault();
            void create();
          }}
        >
          <textarea
            dir="auto"
            ref={field}
            className="composer-field"
            rows={3}
            value={text}
            aria-label={t('newSpace.words')}
            placeholder={
              chosen?.source === 'builtin' && !none
                ? t('newSpace.guidePlaceholder')
                : t('newSpace.placeholder')
            }
            onChange={(event) => {
              setText(event.target.value);
              draft.write(event.target.value);
            }}
            onBlur={draft.flush}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              if (text.trim() !== '') void create();
            }}
          />
          <div className="composer-foot">
            <span className="composer-keys">{t('composer.hint')}</span>
            {/* They are known once the agent has opened a session. */}
            {text.trim() !== '' && chosen !== undefined && (
              <button
                type="button"
                className="text-button"
                title={t('newSpace.optionsNote')}
                {...inactiveWhile(busy)}
                onClick={() => void create(false)}
              >
                {t('newSpace.options')}
              </button>
            )}
            <button
              type="submit"
              className="button primary"
              {...inactiveWhile(busy)}
              disabled={chosen === undefined}
            >
              {text.trim() !== '' && <ArrowUp size={15} aria-hidden />}
              {text.trim() === '' ? t('newSpace.open') : t('newSpace.send')}
            </button>
          </div>
        </form>
        {chosen !== undefined && chosen.source !== 'builtin' && team.length === 0 && (
          <button type="button" className="text-button earlier-button" onClick={() => setEarlier(true)}>
            <History size={14} aria-hidden />
            {t('newSpace.earlier', { agent: oneLine(chosen.name) })}
          </button>
        )}
      </div>
      {earlier && chosen !== undefined && rest !== null && (
        <rest.EarlierDialog agent={chosen} folder={where} onClose={() => setEarlier(false)} />
      )}
      {adding !== null && rest !== null && (
        <rest.AgentForm
          agent={null}
          way={adding}
          onClose={() => setAdding(null)}
          onSaved={({ id }) => {
            pickAgent(id);
            // The next step is writing the prompt.
            afterDialogs(() => field.current?.focus());
          }}
        />
      )}
    </main>
  );
}

const aboutWorktree = [
  'invalid_branch',
  'branch_exists',
  'invalid_folder',
  'commands_changed',
  'commands_unanswered',
  'unclear',
  'elsewhere',
  'git',
  'timeout',
];
