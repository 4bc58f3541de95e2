import { Ban, Check, Pencil, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { removeRule, saveRules } from '../../commands/permissions';
import { t } from '../../i18n';
import { Sentence, withSlots } from '../../i18n/Sentence';
import { showUndoable } from '../../state/notify';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { ListedRule, Rule } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { firstClick } from '../parts/firstClick';
import { WholeLine } from '../parts/Lines';
import { count, exact, since } from '../parts/numbers';
import { shortPath } from '../parts/paths';
import { useMinutes } from '../parts/useNow';
import { about } from './words';

interface RuleRowProps {
  rule: ListedRule;
  wanted: boolean;
  onEdit(): void;
}

/** One rule as a sentence. */
export function RuleRow({ rule, wanted, onEdit }: RuleRowProps) {
  const weft = useWeft();
  const { words, code } = about(rule);
  // Changes at once, and is corrected by the saved value.
  const [on, setOn] = useState(rule.enabled);
  useEffect(() => setOn(rule.enabled), [rule]);
  const save = (changed: Rule) =>
    weft.attempt(t('failed.rule'), async () => {
      try {
        await saveRules(weft, [changed]);
      } catch (error) {
        setOn(rule.enabled);
        throw error;
      }
    });
  const remove = () =>
    void weft.attempt(t('failed.removeRule'), async () => {
      await removeRule(weft, rule.id);
      showUndoable(t('rule.removed'), () => void save(rule));
    });
  const Icon = rule.effect === 'allow' ? Check : Ban;
  return (
    <li id={`rule-${rule.id}`} className="rule" data-wanted={wanted} data-enabled={rule.enabled}>
      <Icon className="rule-mark" data-effect={rule.effect} size={15} aria-hidden />
      <div className="rule-main">
        <p className="rule-sentence" id={`rule-${rule.id}-says`}>
          <Sentence
            text={withSlots((_, put) => t(`rule.sentence.${rule.effect}`, { what: put(words) }))}
            slots={{
              code: (
                <code>
                  <WholeLine text={code} />
                </code>
              ),
            }}
          />
        </p>
        <p className="rule-note">
          <Sentence
            text={withSlots((slot) => t('rule.note', { where: slot('where'), who: slot('who') }))}
            slots={{ where: <Place rule={rule} />, who: <Who rule={rule} /> }}
          />
          {' · '}
          <Uses rule={rule} />
        </p>
      </div>
      <div className="rule-actions">
        <input
          type="checkbox"
          role="switch"
          aria-checked={on}
          className="switch"
          aria-label={t('rule.on')}
          aria-describedby={`rule-${rule.id}-says`}
          title={t('rule.on')}
          checked={on}
          onChange={(event) => {
            setOn(event.target.checked);
            void save({ ...rule, enabled: event.target.checked });
          }}
        />
        <button
          type="button"
          className="icon-button"
          aria-label={t('rule.edit')}
          title={t('rule.edit')}
          onClick={onEdit}
        >
          <Pencil size={14} aria-hidden />
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label={t('rule.remove')}
          title={t('rule.remove')}
          onClick={firstClick(remove)}
        >
          <Trash2 size={14} aria-hidden />
        </button>
      </div>
    </li>
  );
}

function Place({ rule }: { rule: ListedRule }) {
  const weft = useWeft();
  const home = useStore(weft.server, (state) => state.about.home);
  if (rule.scope === 'everywhere') return t('rule.at.everywhere');
  if (rule.scope === 'folder') return t('rule.at.folder', { folder: oneLine(shortPath(rule.folder, home)) });
  return rule.space === '' ? t('rule.at.gone') : t('rule.at.space', { space: oneLine(rule.space) });
}

function Who({ rule }: { rule: ListedRule }) {
  if (rule.agentId === '') return t('rule.for.any');
  return rule.agentName === '' ? t('rule.for.gone') : t('rule.for.agent', { agent: oneLine(rule.agentName) });
}

function Uses({ rule }: { rule: ListedRule }) {
  const now = useMinutes();
  if (rule.used === 0) return t('rule.neverUsed');
  const when = since(rule.lastUsed, now);
  return (
    <span title={exact(rule.lastUsed)}>
      {t('rule.used', { count: rule.used, n: count(rule.used), when })}
    </span>
  );
}
