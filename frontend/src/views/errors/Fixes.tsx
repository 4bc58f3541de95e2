import {
  Copy,
  Download,
  FolderOpen,
  KeyRound,
  ListTree,
  type LucideIcon,
  MessageSquarePlus,
  Pencil,
  RotateCcw,
  Settings2,
  Shrink,
  Undo2,
} from 'lucide-react';
import { useState } from 'react';
import { t } from '../../i18n';
import { copyText } from '../../markdown';
import { useRegistryAgent } from '../../queries/registry';
import { say } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Agent } from '../../transport/api';
import { type AgentFocus, AgentForm } from '../settings/AgentForm';
import { type ErrorPlace, type Fix, fixesFor, fixesForCode, hasKey } from './fixes';
import './errors.css';

/** Fixes that the caller can do itself; omitted ones aren't available. */
export type FixActions = Partial<Record<Fix, (() => void) | undefined>>;

interface FixesProps {
  failure: { code: string; retryable?: boolean };
  place: ErrorPlace;
  /** The current agent of the error. */
  agent: Agent | undefined;
  actions: FixActions;
  /** Signing in is the best fix, and its methods are already shown before the buttons. */
  signsIn?: boolean;
}

interface Form {
  focus: AgentFocus | null;
  /** The fix to continue with after saving. */
  next: Fix;
}

/** Buttons to fix an error, with one primary button. */
export function Fixes({ failure, place, agent, actions, signsIn = false }: FixesProps) {
  const weft = useWeft();
  const dataDir = useStore(weft.server, (state) => state.about.dataDir);
  const [form, setForm] = useState<Form | null>(null);
  // The fix to continue with once the cause is gone.
  const [then, setThen] = useState<Fix | null>(null);
  const { code } = failure;
  const listed = useRegistryAgent(agent, fixesForCode(code).includes('install'));

  const own = agent !== undefined && agent.source !== 'builtin' && agent.source !== 'catalog';
  const isModel = (agent?.model ?? null) !== null;
  // An agent reads its model and key when it starts.
  const begin = actions.restart === undefined ? 'retry' : 'restart';
  const edit =
    (focus: Form['focus'], next: Fix = 'retry') =>
    () =>
      setForm({ focus, next });
  const possible: FixActions = {
    ...actions,
    changeKey: hasKey(agent) ? edit('key', begin) : undefined,
    chooseModel: own && isModel ? edit('model', begin) : undefined,
    chooseCommand:
      agent !== undefined && agent.source !== 'builtin' && !isModel ? edit('command') : undefined,
    editAgent: agent === undefined ? undefined : edit(null),
    install: listed === null ? undefined : () => weft.showRegistry(listed.name),
    secrets: () => weft.showSettings('secrets'),
    copyDataFolder: () => void copyText(dataDir).then(() => say(t('copied'))),
    settings: () => weft.showAgent(agent?.id ?? ''),
  };
  const fixes = fixesFor(code, {
    place,
    retryable: failure.retryable === true,
    can: (fix) => (fix === 'signIn' ? signsIn : possible[fix] !== undefined),
  });
  const ordered =
    then === null || possible[then] === undefined ? fixes : [then, ...fixes.filter((fix) => fix !== then)];
  return (
    <div className="fixes">
      {ordered.map((fix, at) => {
        const act = possible[fix];
        // The sign-in methods have their own buttons.
        if (act === undefined) return null;
        const Icon = icons[fix];
        return (
          <button
            key={fix}
            type="button"
            className={at === 0 ? 'button primary' : 'button plain'}
            data-fix={fix}
            onClick={act}
          >
            <Icon size={14} aria-hidden />
            {place === 'test' && fix === 'retry' ? t('fix.test') : t(`fix.${fix}`)}
          </button>
        );
      })}
      {form !== null && agent !== undefined && (
        <AgentForm
          agent={agent}
          focus={form.focus}
          onClose={() => setForm(null)}
          onSaved={() => setThen(form.next)}
        />
      )}
    </div>
  );
}

const icons: Record<Fix, LucideIcon> = {
  retry: RotateCcw,
  restart: Undo2,
  signIn: KeyRound,
  changeKey: KeyRound,
  chooseModel: Pencil,
  chooseCommand: Pencil,
  editAgent: Pencil,
  install: Download,
  chooseFolder: FolderOpen,
  newSpace: MessageSquarePlus,
  compact: Shrink,
  secrets: KeyRound,
  copyDataFolder: Copy,
  settings: Settings2,
  log: ListTree,
};
