import { Archive } from 'lucide-react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { copyExport, wholeSpace } from '../../commands/exports';
import { asCommandError } from '../../commands/failure';
import { restartAgent } from '../../commands/prompts';
import { archiveSpace, setPermissions } from '../../commands/spaces';
import { t } from '../../i18n';
import { useActions } from '../../keyboard/actions';
import { loadChangeCount } from '../../queries/changes';
import { say, showFailure } from '../../state/notify';
import { promptText } from '../../state/promptText';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Space } from '../../transport/api';
import { Composer } from '../composer/Composer';
import { rangeOf } from '../exports/range';
import { selectedMessages } from '../exports/selected';
import { Lines } from '../parts/Lines';
import { loadRest, useRest } from '../shell/later';
import { Panel } from '../shell/Panel';
import { Plans } from '../transcript/Plan';
import { Greeting } from './Greeting';
import { SpaceHeader } from './SpaceHeader';

/** A space: its transcript, plans and composer. */
export function SpaceView({ spaceId }: { spaceId: string }) {
  const weft = useWeft();
  const session = useMemo(() => weft.session(spaceId), [weft, spaceId]);
  useEffect(() => {
    session.watch();
    return () => session.unwatch();
  }, [session]);
  const status = useStore(session.store, (state) => state.status);
  const panel = useStore(weft.shown, (state) => state.panel);
  const following = useStore(weft.shown, (state) => state.following.includes(spaceId));
  useChangeCount(spaceId);
  useEffect(() => {
    if (status !== 'loading') loadRest();
  }, [status]);
  const rest = useRest();
  useSpaceActions(session);
  return (
    <>
      <main className="space-view">
        <SpaceHeader session={session} />
        {status === 'failed' ? <Failed session={session} /> : <Open session={session} />}
      </main>
      {panel === 'changes' && rest !== null && (
        <Panel wide key="changes">
          <rest.Changes key={spaceId} spaceId={spaceId} />
        </Panel>
      )}
      {following && rest !== null && (
        <Panel wide key="follow">
          <rest.Follow key={spaceId} spaceId={spaceId} />
        </Panel>
      )}
      {rest !== null && <rest.UndoDialog spaceId={spaceId} />}
      {rest !== null && <rest.CommitDialog spaceId={spaceId} />}
      {panel === 'branches' && rest !== null && (
        <Panel key="branches">
          <rest.Branches spaceId={spaceId} />
        </Panel>
      )}
      {panel === 'outline' && rest !== null && (
        <Panel key="outline">
          <rest.OutlinePanel key={spaceId} session={session} />
        </Panel>
      )}
      {panel === 'members' && rest !== null && (
        <Panel key="members">
          <rest.Members key={spaceId} session={session} />
        </Panel>
      )}
      {panel === 'run' && rest !== null && (
        <Panel key="run">
          <rest.RunPanel />
        </Panel>
      )}
      {panel === 'file' && rest !== null && (
        <Panel wide key="file">
          <rest.FilePanel spaceId={spaceId} />
        </Panel>
      )}
      {panel === 'log' && rest !== null && (
        <Panel key="log">
          <rest.ProtocolLog key={spaceId} spaceId={spaceId} />
        </Panel>
      )}
    </>
  );
}

/** Loads the number of files to review once; after that, the backend sends updates. */
function useChangeCount(spaceId: string) {
  const weft = useWeft();
  const connection = useStore(weft.server, (state) => state.connection);
  useEffect(() => {
    if (connection !== 'online') return;
    void loadChangeCount(weft, spaceId);
  }, [weft, spaceId, connection]);
}

/** The transcript once it is loaded, and the composer from the start. */
function Open({ session }: { session: Session }) {
  const weft = useWeft();
  const loading = useStore(session.store, (state) => state.status === 'loading');
  const opened = useStore(session.store, (state) => state.space);
  const listed = useStore(weft.server, ({ spaces }) => spaces.find(({ id }) => id === session.spaceId));
  const space = opened ?? listed;
  const empty = useStore(
    session.store,
    ({ conversation }) => conversation.messages.length === 0 && conversation.error === null,
  );
  const rest = useRest();
  // An empty conversation has no locations to go to.
  const wanted = useStore(weft.shown, (state) => state.wanted?.spaceId === session.spaceId);
  const nowhere = wanted && empty && !loading;
  useEffect(() => {
    if (!nowhere) return;
    weft.shown.set({ wanted: null });
    showFailure(t('failed.place'), asCommandError(new Error(t('places.gone'))));
  }, [weft, nowhere]);
  // Its shortcut works from the start, although the transcript is loaded a moment later.
  const [finding, setFinding] = useState(false);
  const found = useCallback(() => setFinding(false), []);
  useActions(
    empty && !loading
      ? []
      : [
          {
            id: 'find',
            title: t('action.find'),
            section: t('section.transcript'),
            keys: 'mod+f',
            keywords: ['search'],
            run: () => setFinding(true),
          },
        ],
  );
  if (space === undefined) return <Skeleton />;
  return (
    <>
      {loading ? (
        <Skeleton />
      ) : empty ? (
        <Greeting space={space} />
      ) : rest === null ? (
        <Skeleton />
      ) : (
        <rest.Transcript session={session} finding={finding} onFound={found} />
      )}
      <div className="space-foot">
        {rest !== null && <rest.WorkingStrip session={session} space={space} />}
        <Plans session={session} space={space} />
        {rest !== null && (
          <rest.NotAsked key={session.spaceId} session={session}>
            <rest.AgentOffers space={space} />
          </rest.NotAsked>
        )}
        {(listed ?? space).archived ? (
          <Archived space={space} />
        ) : (
          <Composer session={session} space={space} />
        )}
      </div>
    </>
  );
}

/** An archived space can be read through links and search; to write in it, it must be unarchived. */
function Archived({ space }: { space: Space }) {
  const weft = useWeft();
  return (
    <p className="archived-note">
      <Archive size={14} aria-hidden />
      <span className="grow">{t('archived.note')}</span>
      <button type="button" className="button" onClick={() => void archiveSpace(weft, space, false)}>
        {t('archived.restore')}
      </button>
    </p>
  );
}

function useSpaceActions(session: Session) {
  const weft = useWeft();
  const space = useStore(session.store, (state) => state.space);
  const listed = useStore(weft.server, ({ spaces }) => spaces.find(({ id }) => id === session.spaceId));
  const inTree = (listed ?? space)?.worktree ?? null;
  useActions([
    {
      id: 'review.open',
      title: t('action.changes'),
      section: t('section.space'),
      keys: 'mod+shift+r',
      keywords: ['review', 'diff', 'accept', 'reject', 'undo'],
      run: () => weft.togglePanel('changes'),
    },
    {
      id: 'review.commit',
      title: t('action.commit'),
      section: t('section.space'),
      keywords: ['git', 'accepted', 'stage'],
      run: () => weft.dialogs.set({ commit: { spaceId: session.spaceId, prompt: promptText(session) } }),
    },
    {
      id: 'branches.open',
      title: t('action.branches'),
      section: t('section.space'),
      keys: 'mod+shift+b',
      keywords: ['branch', 'fork', 'tree'],
      run: () => weft.togglePanel('branches'),
    },
    {
      id: 'members.open',
      title: t('action.members'),
      section: t('section.space'),
      keys: 'mod+shift+m',
      keywords: ['agent', 'add', 'team', 'role', 'remove'],
      run: () => weft.togglePanel('members'),
    },
    {
      id: 'outline.open',
      title: t('action.outline'),
      section: t('section.space'),
      keys: 'mod+shift+g',
      keywords: ['prompts', 'jump', 'contents', 'table'],
      run: () => weft.togglePanel('outline'),
    },
    {
      id: 'space.copy',
      title: t('action.copyMarkdown'),
      section: t('section.space'),
      keywords: ['clipboard', 'markdown', 'export'],
      run: () => {
        const { messageId, lastId } = selectedMessages();
        const range = rangeOf(messageId === '' ? 'all' : lastId === '' ? 'one' : 'chosen', {
          messageId,
          lastId,
        });
        void weft.attempt(t('failed.exportSpace'), async () => {
          await copyExport(weft, wholeSpace(session.spaceId, range));
          say(t('export.copied'));
        });
      },
    },
    {
      id: 'space.follow',
      title: t('action.follow'),
      section: t('section.space'),
      keys: 'mod+shift+e',
      keywords: ['file', 'watch', 'location'],
      run: () => weft.toggleFollow(session.spaceId),
    },
    {
      id: 'space.log',
      title: t('action.log'),
      section: t('section.space'),
      keys: 'mod+shift+l',
      run: () => weft.togglePanel('log'),
    },
    ...(space === null
      ? []
      : [
          ...(inTree === null
            ? []
            : [
                {
                  id: 'space.worktree',
                  title: t('action.worktree'),
                  section: t('section.space'),
                  keywords: ['git', 'branch'],
                  run: () => weft.dialogs.set({ worktree: { id: inTree.id, next: null } }),
                },
              ]),
          ...(['ask', 'rules', 'read-only'] as const)
            .filter((mode) => mode !== (listed ?? space).permissions)
            .map((mode) => ({
              id: `permissions.${mode}`,
              title: t(`action.permissions.${mode}`),
              section: t('section.space'),
              run: () => void setPermissions(weft, space.id, mode),
            })),
          {
            id: 'space.agent',
            title: t('action.agentSettings'),
            section: t('section.space'),
            run: () => weft.showAgent(space.agentId),
          },
          {
            id: 'space.restart',
            title: t('action.restart'),
            section: t('section.space'),
            run: () => void restartAgent(weft, session.spaceId),
          },
        ]),
  ]);
}

/** Shown only if opening takes noticeably long. */
function Skeleton() {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="skeleton" role="status" aria-label={t('loading')}>
      {shown && [72, 40, 90, 84, 60].map((width) => <div key={width} style={{ width: `${width}%` }} />)}
    </div>
  );
}

function Failed({ session }: { session: Session }) {
  const error = useStore(session.store, (state) => state.error);
  return (
    <div className="page-center" role="alert">
      <h2 className="page-title">{t('space.cannotOpen')}</h2>
      <p className="page-lead">
        <Lines text={error?.message ?? ''} />
      </p>
      <button type="button" className="button primary" onClick={() => void session.open()}>
        {t('again')}
      </button>
    </div>
  );
}
