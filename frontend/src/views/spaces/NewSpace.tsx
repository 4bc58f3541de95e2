import { ArrowUp, ChevronRight, History } from 'lucide-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { asCommandError } from '../../commands/failure';
import { sendPrompt } from '../../commands/prompts';
import { createSpace } from '../../commands/spaces';
import { t } from '../../i18n';
import { recentFolders } from '../../state/folders';
import { membersIn, wrongName } from '../../state/members';
import { say, sayFailed } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Agent, MemberSeed } from '../../transport/api';
import { typedParts } from '../composer/promptParts';
import { oneLine } from '../parts/clean';
import { useRest } from '../shell/later';
import { FolderChoice } from './FolderChoice';
import type { WorktreeWish } from './WorktreeChoice';
import './spaces.css';

/** Begins a space: with whom, where, and the first words. */
export function NewSpace() {
  const weft = useWeft();
  const agents = useStore(weft.server, (state) => state.agents);
  const spaces = useStore(weft.server, (state) => state.spaces);
  const home = useStore(weft.server, (state) => state.about.home);
  const started = useStore(weft.server, (state) => state.about.folder);
  const ready = agents.filter(({ installed }) => installed);
  const [agentId, setAgentId] = useState('');
  const [folder, setFolder] = useState(recentFolders(spaces)[0] ?? '');
  const [none, setNone] = useState(false);
  const [earlier, setEarlier] = useState(false);
  const [adding, setAdding] = useState(false);
  const [busy, setBusy] = useState(false);
  const [text, setText] = useState('');
  const [team, setTeam] = useState<readonly MemberSeed[]>([]);
  const [wish, setWish] = useState<WorktreeWish | null>(null);
  const [wrong, setWrong] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const rest = useRest();
  const chosen = ready.find(({ id }) => id === agentId) ?? ready.find((agent) => agent.default) ?? ready[0];
  const where = folder || started || home;
  const tree = none ? null : wish;

  useLayoutEffect(() => field.current?.focus({ preventScroll: true }), []);

  const create = async () => {
    const agentId = team[0]?.agentId ?? chosen?.id;
    if (agentId === undefined || busy) return;
    const names = team.map(({ name }) => name);
    const wrongs = names.map((name, i) => wrongName(name, names.toSpliced(i, 1)));
    const nameless = wrongs.find((why) => why !== null) ?? null;
    if (nameless !== null) return say(t(`members.wrongName.${nameless}`));
    setBusy(true);
    setWrong('');
    try {
      const space = await createSpace(weft, agentId, where, {
        ...(none && { noFolder: true }),
        ...(tree !== null && { words: text, worktree: tree }),
        ...(team.length > 0 && { members: [...team] }),
      });
      if (text.trim() === '') return;
      const parts = await typedParts(weft, space, text);
      await sendPrompt(weft, {
        spaceId: space.id,
        text,
        to: membersIn(text, space.members),
        ...(parts.length > 0 && { parts }),
      });
    } catch (error) {
      setBusy(false);
      const { code, message } = asCommandError(error);
      // What is wrong with the worktree is said where it was chosen.
      if (tree !== null && aboutWorktree.includes(code)) setWrong(message);
      else sayFailed(t('failed.create'), error);
    }
  };

  return (
    <main className="new-space-page">
      <div className="new-space-inner">
        <h1 className="page-title">{spaces.length === 0 ? t('newSpace.welcome') : t('newSpace.title')}</h1>
        <p className="page-lead">{spaces.length === 0 ? t('newSpace.welcomeLead') : t('newSpace.lead')}</p>

        <section className="choice" aria-labelledby="choose-agent">
          <h2 id="choose-agent" className="choice-title">
            {t(team.length === 0 ? 'newSpace.agent' : 'newSpace.agents')}
          </h2>
          {team.length === 0 && (
            <div className="agent-choices" role="radiogroup" aria-labelledby="choose-agent">
              {ready.map((agent) => (
                <AgentChoice
                  key={agent.id}
                  agent={agent}
                  chosen={agent === chosen}
                  onChoose={() => setAgentId(agent.id)}
                />
              ))}
              <button type="button" className="agent-choice more" onClick={() => weft.show('settings')}>
                <span className="agent-choice-name">{t('newSpace.moreAgents')}</span>
                <ChevronRight size={14} aria-hidden />
              </button>
            </div>
          )}
          {rest !== null && ready.length > 0 && (
            <rest.Team agents={ready} chosen={chosen} team={team} onChange={setTeam} />
          )}
          {ready.every(({ source }) => source === 'builtin') && (
            <p className="choice-note">
              {t('newSpace.noAgents')}{' '}
              <button type="button" className="text-button" onClick={() => setAdding(true)}>
                {t('newSpace.useModel')}
              </button>
              {' · '}
              <button type="button" className="text-button" onClick={() => weft.show('registry')}>
                {t('newSpace.browse')}
              </button>
            </p>
          )}
        </section>

        <section className="choice" aria-labelledby="choose-folder">
          <h2 id="choose-folder" className="choice-title">
            {t('newSpace.folder')}
          </h2>
          <FolderChoice folder={where} none={none} onPick={setFolder} onNone={setNone} />
          {rest !== null && !none && (
            <rest.WorktreeChoice folder={where} words={text} wrong={wrong} onChange={setWish} />
          )}
        </section>

        <form
          className="composer first-words"
          onSubmit={(event) => {
            event.preventDefault();
            void create();
          }}
        >
          <textarea
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
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              void create();
            }}
          />
          <div className="composer-foot">
            <span className="composer-keys">{t('composer.hint')}</span>
            <button type="submit" className="button primary" disabled={busy || chosen === undefined}>
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
      {adding && rest !== null && (
        <rest.AgentForm
          agent={null}
          way="model"
          onClose={() => setAdding(false)}
          onSaved={({ id }) => setAgentId(id)}
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

function AgentChoice({ agent, chosen, onChoose }: { agent: Agent; chosen: boolean; onChoose: () => void }) {
  return (
    <label className="agent-choice" data-chosen={chosen}>
      <input type="radio" name="agent" checked={chosen} onChange={onChoose} />
      <span className="agent-choice-name">{oneLine(agent.name)}</span>
      <span className="agent-choice-note">
        {agent.source === 'builtin'
          ? t('agents.builtinNote')
          : (agent.model ?? null) !== null
            ? oneLine(agent.description)
            : agent.registry !== null
              ? t('agents.fromRegistry', { version: oneLine(agent.registry.version) })
              : oneLine([agent.command, ...(agent.args ?? [])].join(' '))}
      </span>
    </label>
  );
}
