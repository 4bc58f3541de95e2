import { t } from '../../i18n';
import { joinFacts } from '../../i18n/formats';
import type { ToolCall } from '../../transcript/model';
import { objectOf } from '../../transcript/object';
import type { Json } from '../../transcript/types';
import { oneLine } from '../parts/clean';
import { Lines, WholeLine } from '../parts/Lines';
import { questionsOf } from './schema';
import { useInput } from './useInput';

/** The user's answers, labeled by the form's titles. */
export function Answered({ call }: { call: ToolCall }) {
  const output = objectOf(call.output);
  const input = useInput(call);
  const form = objectOf(input) ?? {};
  const url = form['url'];
  if (typeof url === 'string')
    return (
      <p className="mono question-asked">
        <WholeLine text={url} />
      </p>
    );
  if (output === null) return null;
  const titles = new Map(questionsOf(form['requestedSchema']).map(({ name, title }) => [name, title]));
  return (
    <div className="detail-part">
      <p className="detail-title">{t('question.answered')}</p>
      <dl className="fields">
        {Object.entries(output).map(([name, value]) => (
          <div key={name}>
            <dt>{oneLine(titles.get(name) ?? name)}</dt>
            <dd>
              <Lines text={told(value)} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function told(value: Json): string {
  if (Array.isArray(value)) return joinFacts(value.map(told));
  if (typeof value === 'boolean') return value ? t('question.yes') : t('question.no');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
