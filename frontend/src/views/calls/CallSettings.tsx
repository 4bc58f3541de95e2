import { Eye, EyeOff, Pencil, Plus, Rows2, Trash2 } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { drawSpaceTools, removeCallRule, saveCallRule } from '../../commands/calls';
import { t } from '../../i18n';
import { showUndoable } from '../../state/notify';
import { useStore } from '../../state/store';
import { sameRule } from '../../state/toolCalls';
import { useWeft } from '../../state/weft';
import type { CallRule } from '../../transcript/looks';
import { oneLine } from '../parts/clean';
import { firstClick } from '../parts/firstClick';
import { serverName } from '../tools/useLook';
import { CallRuleForm } from './CallRuleForm';
import './calls.css';

const icons = { full: Eye, minimal: Rows2, hidden: EyeOff };

/** Settings for how tool calls are shown: rules by tool, and whether space tools are shown as displays. */
export function CallSettings() {
  const weft = useWeft();
  const { looks } = useStore(weft.server, (state) => state.toolCalls);
  const [form, setForm] = useState<CallRule | 'new' | null>(null);
  const id = useId();
  const add = useRef<HTMLButtonElement>(null);
  // Changes at once, and is corrected by the saved value.
  const [displays, setDisplays] = useState(looks.displays);
  useEffect(() => setDisplays(looks.displays), [looks.displays]);
  const draw = (wanted: boolean) => {
    setDisplays(wanted);
    void weft.attempt(t('looks.failed'), async () => {
      try {
        await drawSpaceTools(weft, wanted ? 'displays' : 'rows');
      } catch (error) {
        setDisplays(weft.server.get().toolCalls.looks.displays);
        throw error;
      }
    });
  };
  return (
    <section className="settings-part" aria-labelledby="settings-calls">
      <div className="settings-head">
        <h2 id="settings-calls">{t('callRules.title')}</h2>
        <span className="grow" />
        <button
          ref={add}
          id="settings-add-call-rule"
          type="button"
          className="button"
          onClick={() => setForm('new')}
        >
          <Plus size={14} aria-hidden />
          {t('callRules.add')}
        </button>
      </div>
      <p className="settings-lead">{t('callRules.lead')}</p>
      {looks.rules.length === 0 ? (
        <p className="mcp-none">{t('callRules.none')}</p>
      ) : (
        <ul className="call-rules" aria-label={t('callRules.title')}>
          {looks.rules.map((rule) => (
            <RuleRow
              key={`${rule.agent}\n${rule.server}\n${rule.tool}`}
              rule={rule}
              onEdit={() => setForm(rule)}
              onRemoved={() => add.current?.focus()}
            />
          ))}
        </ul>
      )}
      <div className="call-switch" id="settings-space-tools">
        <label htmlFor={id}>
          {t('callRules.displays')}
          <span className="form-note" id={`${id}-note`}>
            {t('callRules.displaysNote')}
          </span>
        </label>
        <input
          id={id}
          type="checkbox"
          role="switch"
          className="switch"
          aria-checked={displays}
          aria-describedby={`${id}-note`}
          checked={displays}
          onChange={(event) => draw(event.target.checked)}
        />
      </div>
      {form !== null && <CallRuleForm rule={form === 'new' ? null : form} onClose={() => setForm(null)} />}
    </section>
  );
}

interface RuleRowProps {
  rule: CallRule;
  onEdit(): void;
  onRemoved(): void;
}

function RuleRow({ rule, onEdit, onRemoved }: RuleRowProps) {
  const weft = useWeft();
  const agents = useStore(weft.server, (state) => state.agents);
  const { agent, server, tool, visibility } = rule;
  const Icon = icons[visibility];
  const name = oneLine(tool);
  const who =
    agent === ''
      ? t('callRules.anyAgent')
      : oneLine(agents.find(({ id }) => id === agent)?.name ?? t('callRules.goneAgent', { id: agent }));
  const remove = () =>
    void weft.attempt(t('looks.failed'), async () => {
      await removeCallRule(weft, { agent, server, tool });
      onRemoved();
      showUndoable(t('callRules.removed', { tool: name }), () => {
        void weft.attempt(t('looks.failed'), async () => {
          const others = weft.server.get().toolCalls.looks.rules;
          if (others.some((other) => sameRule(other, rule))) return; // there is a newer one
          await saveCallRule(weft, { was: null, rule });
        });
      });
    });
  return (
    <li className="call-rule">
      <Icon className="call-rule-mark" size={15} aria-hidden />
      <div className="call-rule-main">
        <p className="call-rule-tool">
          <code>{name}</code>
          {server !== '' && <span className="tag">{serverName(server)}</span>}
        </p>
        <p className="quiet-text">{who}</p>
      </div>
      <span className="call-rule-as">{t(`looks.as.${visibility}`)}</span>
      <div className="rule-actions">
        <button
          type="button"
          className="icon-button"
          aria-label={t('callRules.edit', { tool: name })}
          title={t('agents.edit')}
          onClick={onEdit}
        >
          <Pencil size={14} aria-hidden />
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label={t('callRules.remove', { tool: name })}
          title={t('agents.remove')}
          onClick={firstClick(remove)}
        >
          <Trash2 size={14} aria-hidden />
        </button>
      </div>
    </li>
  );
}
