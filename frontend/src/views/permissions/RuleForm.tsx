import { useEffect, useId, useRef, useState } from 'react';
import { asCommandError } from '../../commands/failure';
import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Rule, RuleSuggestion } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { inactiveWhile } from '../parts/inactiveWhile';
import { shortPath } from '../parts/paths';
import { Segments } from '../parts/Segments';
import { titleOf } from '../parts/spaceTitle';
import { describeCoverage, useCoverage } from './coverage';
import { fileKinds, kinds } from './words';
import './permissions.css';

type What = 'tool' | 'command' | 'path' | 'kind';

export interface RuleFormProps {
  /** The initial rule. Several commands create several rules. */
  rule: Rule;
  commands: readonly string[];
  /** Files that redirections of the commands write, which need their own rule for edits. */
  writes?: string;
  /** The request it is for, with its location; null in the settings. */
  from: { spaceId: string; folder: string; requestId: string } | null;
  /** Why rules for commands and files cannot allow the request. */
  unclear?: RuleSuggestion['unclear'];
  onSave(rules: Rule[]): Promise<void>;
  onClose(): void;
}

/** The form of a rule: what, where, who. */
export function RuleForm({
  rule,
  commands,
  writes = '',
  from,
  unclear = '',
  onSave,
  onClose,
}: RuleFormProps) {
  const id = useId();
  const first = useRef<HTMLFormElement>(null);
  const [effect, setEffect] = useState(rule.effect);
  const [what, setWhat] = useState<What | null>(() => {
    if (rule.tool !== '') return 'tool';
    if (commands.length > 0) return 'command';
    if (rule.path !== '') return 'path';
    if (rule.id === '' && from === null) return 'command';
    // Nothing is chosen where only a rule for all tools of the kind would be left: that is for the user to want.
    return unclear !== '' && rule.effect === 'allow' ? null : 'kind';
  });
  const [lines, setLines] = useState<readonly string[]>(commands.length > 0 ? commands : ['']);
  const [written, setWritten] = useState(writes);
  const [path, setPath] = useState(rule.path);
  const [kind, setKind] = useState(rule.kind === '' ? 'execute' : rule.kind);
  const [pathKind, setPathKind] = useState(fileKinds.some((one) => one === rule.kind) ? rule.kind : '');
  const [where, setWhere] = useState(placeOf(rule));
  const [agentId, setAgentId] = useState(rule.agentId);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');

  const base: Rule = {
    ...rule,
    ...inPlace(where),
    effect,
    agentId,
    kind: '',
    command: '',
    path: '',
    tool: '',
  };
  const rulesFor: Record<What, () => Rule[]> = {
    tool: () => [{ ...base, tool: rule.tool }],
    kind: () => [{ ...base, kind }],
    path: () => [{ ...base, kind: pathKind, path }],
    command: () => [
      ...lines.filter((line) => line.trim() !== '').map((command) => ({ ...base, command })),
      ...(written.trim() === '' ? [] : [{ ...base, kind: 'edit', path: written }]),
    ],
  };
  const rules = what === null ? [] : rulesFor[what]();
  const reach = useCoverage(rules, from);
  const said = JSON.stringify(rules);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the error stays until the input changes
  useEffect(() => setError(''), [said]);

  useEffect(() => {
    const text = first.current?.querySelector<HTMLElement>('.rule-fields input');
    const choices = first.current?.querySelector('.rule-choices');
    const chosen = choices?.querySelector<HTMLElement>('input:checked') ?? choices?.querySelector('input');
    (text ?? chosen)?.focus();
  }, []);
  const save = async () => {
    if (busy || rules.length === 0) return;
    setBusy(true);
    try {
      await onSave(rules);
    } catch (failure) {
      setError(asCommandError(failure).message);
      setBusy(false);
    }
  };
  const choose = (value: What) => ({
    type: 'radio' as const,
    name: `${id}-what`,
    checked: what === value,
    onChange: () => setWhat(value),
  });
  return (
    <form
      ref={first}
      className="rule-form"
      aria-label={effect === 'allow' ? t('rule.allowTitle') : t('rule.rejectTitle')}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || from === null) return;
        // Otherwise Escape would stop the agent.
        event.preventDefault();
        event.stopPropagation();
        onClose();
      }}
    >
      {from === null && (
        <fieldset className="rule-part">
          <legend>{t('rule.effect')}</legend>
          <Segments<'allow' | 'reject'>
            value={effect}
            options={(['allow', 'reject'] as const).map((one) => [one, t(`rule.${one}`)])}
            onChoose={setEffect}
          />
        </fieldset>
      )}
      <fieldset className="rule-part">
        <legend>{t('rule.what')}</legend>
        <div className="rule-choices">
          {rule.tool !== '' && (
            <>
              <label className="rule-choice">
                <input {...choose('tool')} />
                {t('rule.tool')}
              </label>
              {what === 'tool' && (
                <div className="rule-fields">
                  <code>{oneLine(rule.tool)}</code>
                  <p className="form-note">{t('rule.toolNote')}</p>
                </div>
              )}
            </>
          )}
          <label className="rule-choice">
            <input {...choose('command')} />
            {t('rule.command')}
          </label>
          {what === 'command' && (
            <div className="rule-fields">
              {lines.map((line, i) => (
                <input
                  // biome-ignore lint/suspicious/noArrayIndexKey: lines are identified by position
                  key={i}
                  type="text"
                  className="field mono"
                  aria-label={t('rule.command')}
                  value={line}
                  spellCheck={false}
                  onChange={(event) => setLines(lines.map((old, k) => (k === i ? event.target.value : old)))}
                />
              ))}
              {writes !== '' && (
                <label className="form-field">
                  {t('rule.writes')}
                  <input
                    type="text"
                    className="field mono"
                    value={written}
                    spellCheck={false}
                    onChange={(event) => setWritten(event.target.value)}
                  />
                </label>
              )}
              <p className="form-note">{t(`rule.commandNote.${effect}`)}</p>
            </div>
          )}
          <label className="rule-choice">
            <input {...choose('path')} />
            {t('rule.path')}
          </label>
          {what === 'path' && (
            <div className="rule-fields">
              <input
                type="text"
                className="field mono"
                aria-label={t('rule.path')}
                value={path}
                spellCheck={false}
                onChange={(event) => setPath(event.target.value)}
              />
              <select
                className="field"
                aria-label={t('rule.ofKind')}
                value={pathKind}
                onChange={(event) => setPathKind(event.target.value)}
              >
                <option value="">{t('rule.anyFileKind')}</option>
                {fileKinds.map((one) => (
                  <option key={one} value={one}>
                    {t(`rule.kinds.${one}`)}
                  </option>
                ))}
              </select>
              <p className="form-note">{t('rule.pathNote')}</p>
            </div>
          )}
          <label className="rule-choice">
            <input {...choose('kind')} />
            {t('rule.kind')}
          </label>
          {what === 'kind' && (
            <div className="rule-fields">
              <select
                className="field"
                aria-label={t('rule.kind')}
                value={kind}
                onChange={(event) => setKind(event.target.value)}
              >
                {kinds.map((one) => (
                  <option key={one} value={one}>
                    {t(`rule.kinds.${one}`)}
                  </option>
                ))}
              </select>
              <p className="form-note">{t('rule.kindNote')}</p>
            </div>
          )}
        </div>
      </fieldset>
      <div className="rule-pair">
        <Where id={`${id}-where`} value={where} from={from} onChange={setWhere} />
        <Who id={`${id}-who`} value={agentId} onChange={setAgentId} />
      </div>
      {error !== '' || reach.error !== '' ? (
        <p className="field-error" role="alert">
          {error !== '' ? error : reach.error}
        </p>
      ) : (
        from !== null && (
          <p className="rule-reach" role="status">
            {(reach.covers === false || what === null) &&
              effect === 'allow' &&
              unclear !== '' &&
              `${t(`rule.unclear.${unclear}`)} `}
            {describeCoverage(reach)}
          </p>
        )
      )}
      <div className="dialog-foot">
        <button
          type="submit"
          className="button primary"
          {...inactiveWhile(busy)}
          disabled={rules.length === 0}
        >
          {from === null ? t('rule.save') : effect === 'allow' ? t('rule.allowTitle') : t('rule.rejectTitle')}
        </button>
        <button type="button" className="button plain" onClick={onClose}>
          {t('cancel')}
        </button>
      </div>
    </form>
  );
}

function placeOf(rule: Rule): string {
  if (rule.scope === 'everywhere') return 'everywhere';
  return rule.scope === 'space' ? `space:${rule.spaceId}` : `folder:${rule.folder}`;
}

function inPlace(where: string): Pick<Rule, 'scope' | 'spaceId' | 'folder'> {
  if (where.startsWith('space:')) return { scope: 'space', spaceId: where.slice(6), folder: '' };
  if (where.startsWith('folder:')) return { scope: 'folder', spaceId: '', folder: where.slice(7) };
  return { scope: 'everywhere', spaceId: '', folder: '' };
}

interface ChoiceProps {
  id: string;
  value: string;
  onChange(value: string): void;
}

function Where({ id, value, from, onChange }: ChoiceProps & { from: RuleFormProps['from'] }) {
  const weft = useWeft();
  const spaces = useStore(weft.server, (state) => state.spaces);
  const home = useStore(weft.server, (state) => state.about.home);
  const folders = [...new Set(spaces.map(({ folder }) => folder))].sort();
  const known =
    value === 'everywhere' ||
    spaces.some((space) => value === `space:${space.id}` || value === `folder:${space.folder}`);
  return (
    <div className="form-field">
      <label className="form-label" htmlFor={id}>
        {t('rule.where')}
      </label>
      <select id={id} className="field" value={value} onChange={(event) => onChange(event.target.value)}>
        {from !== null ? (
          <>
            <option value={`space:${from.spaceId}`}>{t('rule.thisSpace')}</option>
            <option value={`folder:${from.folder}`}>
              {t('rule.thisFolder', { folder: oneLine(shortPath(from.folder, home)) })}
            </option>
            <option value="everywhere">{t('rule.everywhere')}</option>
          </>
        ) : (
          <>
            <option value="everywhere">{t('rule.everywhere')}</option>
            {!known && (
              <option value={value}>
                {value.startsWith('folder:') ? oneLine(shortPath(value.slice(7), home)) : t('rule.at.gone')}
              </option>
            )}
            <optgroup label={t('rule.folders')}>
              {folders.map((folder) => (
                <option key={folder} value={`folder:${folder}`}>
                  {oneLine(shortPath(folder, home))}
                </option>
              ))}
            </optgroup>
            <optgroup label={t('rule.spaces')}>
              {spaces.map((space) => (
                <option key={space.id} value={`space:${space.id}`}>
                  {titleOf(space)}
                </option>
              ))}
            </optgroup>
          </>
        )}
      </select>
    </div>
  );
}

function Who({ id, value, onChange }: ChoiceProps) {
  const weft = useWeft();
  const agents = useStore(weft.server, (state) => state.agents);
  const usable = agents.filter((agent) => agent.id === value || agent.installed || agent.source === 'custom');
  return (
    <div className="form-field">
      <label className="form-label" htmlFor={id}>
        {t('rule.who')}
      </label>
      <select id={id} className="field" value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{t('rule.anyAgent')}</option>
        {value !== '' && !usable.some((agent) => agent.id === value) && (
          <option value={value}>{oneLine(value)}</option>
        )}
        {usable.map((agent) => (
          <option key={agent.id} value={agent.id}>
            {oneLine(agent.name)}
          </option>
        ))}
      </select>
    </div>
  );
}
