import { useEffect, useState } from 'react';
import { t } from '../../i18n';
import { say, sayFailed } from '../../state/notify';
import { useWeft } from '../../state/weft';
import type { Rule, RuleSuggestion } from '../../transport/api';
import { RuleForm } from './RuleForm';

interface AlwaysFormProps {
  effect: Rule['effect'];
  spaceId: string;
  requestId: string;
  onClose(): void;
}

/** "Always", from the card of a request: the form with what fits that request. */
export function AlwaysForm({ effect, spaceId, requestId, onClose }: AlwaysFormProps) {
  const weft = useWeft();
  const [found, setFound] = useState<RuleSuggestion | null>(null);
  useEffect(() => {
    let stale = false;
    weft.transport.call('SuggestPermissionRules', { spaceId, requestId }).then(
      (suggestion) => !stale && setFound(suggestion),
      (error) => {
        if (stale) return;
        sayFailed(t('failed.rule'), error);
        onClose();
      },
    );
    return () => {
      stale = true;
    };
  }, [weft, spaceId, requestId, onClose]);
  if (found === null) return <p className="quiet-text late">{t('loading')}</p>;

  const rule: Rule = {
    id: '',
    effect,
    // What is allowed begins small; what is refused is mostly meant for all.
    scope: effect === 'allow' ? 'space' : 'folder',
    spaceId: effect === 'allow' ? spaceId : '',
    folder: effect === 'allow' ? '' : found.folder,
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
    const { answered, problem } = await weft.transport.call('SavePermissionRules', {
      rules,
      spaceId,
      requestId,
    });
    if (problem !== '') {
      say(`${t('rule.saved')}. ${problem}`);
      onClose();
    } else if (answered > 1) {
      say(t('rule.savedAnswered', { count: answered, n: answered }));
    }
  };
  return (
    <RuleForm
      rule={rule}
      commands={found.commands}
      writes={effect === 'allow' ? (found.writes[0] ?? '') : ''}
      from={{ spaceId, folder: found.folder, requestId }}
      unclear={found.unclear}
      onSave={save}
      onClose={onClose}
    />
  );
}
