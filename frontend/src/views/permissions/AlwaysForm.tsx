import { useEffect, useState } from 'react';
import { saveRules } from '../../commands/permissions';
import { t } from '../../i18n';
import { translated } from '../../i18n/said';
import { useRuleSuggestion } from '../../queries/permissions';
import { say, showFailure } from '../../state/notify';
import { useWeft } from '../../state/weft';
import type { Rule, RuleSuggestion } from '../../transport/api';
import { AlwaysSentence } from './AlwaysSentence';
import { RuleForm } from './RuleForm';

interface AlwaysFormProps {
  effect: Rule['effect'];
  spaceId: string;
  requestId: string;
  /** Whether a click is accepted now. */
  ready(): boolean;
  onClose(): void;
}

/** "Always" on the card of a request: one suggested sentence, and a form for anything else. */
export function AlwaysForm({ effect, spaceId, requestId, ready, onClose }: AlwaysFormProps) {
  const weft = useWeft();
  const { data: found, error } = useRuleSuggestion(spaceId, requestId);
  const [custom, setCustom] = useState(false);
  useEffect(() => {
    if (error === null) return;
    showFailure(t('failed.rule'), error);
    onClose();
  }, [error, onClose]);
  if (found === undefined) return <p className="quiet-text delayed">{t('loading')}</p>;

  const rule: Rule = {
    id: '',
    effect,
    scope: 'folder',
    spaceId: '',
    folder: found.folder,
    // Allow rules apply to the requesting agent only; reject rules are mostly meant for all.
    agentId: effect === 'allow' ? found.agentId : '',
    kind: found.kind,
    command: '',
    path: found.paths[0] ?? '',
    tool: found.tool,
    enabled: true,
    createdAt: 0,
    used: 0,
    lastUsed: 0,
  };
  const save = async (rules: Rule[]) => {
    const { answered, problem } = await saveRules(weft, rules, { spaceId, requestId });
    if (problem !== '') {
      say(`${t('rule.saved')}. ${translated(problem)}`);
      onClose();
    } else if (answered > 1) {
      say(t('rule.savedAnswered', { count: answered, n: answered }));
    }
  };
  const proposed = proposedRules(rule, found);
  if (!custom && proposed.length > 0) {
    return (
      <AlwaysSentence
        rules={proposed}
        unclear={found.unclear}
        from={{ spaceId, requestId }}
        ready={ready}
        onSave={save}
        onCustomize={() => setCustom(true)}
        onClose={onClose}
      />
    );
  }
  return (
    <RuleForm
      rule={rule}
      commands={found.commands}
      writes={effect === 'allow' ? (found.writes[0] ?? '') : ''}
      from={{ spaceId, folder: found.folder, requestId }}
      unclear={found.unclear}
      onSave={async (rules) => {
        if (ready()) await save(rules);
      }}
      onClose={onClose}
    />
  );
}

/** Kinds of tools that one sentence may allow as a whole, because they only read. */
const harmless = ['read', 'search', 'think', 'fetch'];

/** The rules for the suggested sentence; none if the request is too complex for one. */
export function proposedRules(rule: Rule, found: RuleSuggestion): Rule[] {
  const bare: Rule = { ...rule, kind: '', path: '', tool: '' };
  if (found.tool !== '') return [{ ...bare, tool: found.tool }];
  if (found.commands.length > 0) {
    const writes = rule.effect === 'allow' ? found.writes : [];
    return [
      ...found.commands.map((command) => ({ ...bare, command })),
      ...writes.slice(0, 1).map((path) => ({ ...bare, kind: 'edit', path })),
    ];
  }
  const [path] = found.paths;
  if (path !== undefined) return [{ ...bare, kind: found.kind, path }];
  if (rule.effect === 'reject' || harmless.includes(found.kind)) return [{ ...bare, kind: found.kind }];
  return [];
}
