import { useId, useMemo } from 'react';
import { t } from '../../i18n';
import { joinFacts } from '../../i18n/formats';
import { objectOf } from '../../transcript/object';
import type { Json } from '../../transcript/types';
import { oneLine } from '../parts/clean';
import { inactiveWhile } from '../parts/inactiveWhile';
import { Lines } from '../parts/Lines';
import { Form } from '../questions/Form';
import { prefilled, questionsOf } from '../questions/schema';
import type { DisplayProps } from './display';
import { Facts } from './Facts';
import { Prose } from './Prose';
import { line, text, textOf } from './read';

/** A form for a JSON Schema, prefilled with values from the agent. */
export function FormDisplay({ input, phase, ask }: DisplayProps) {
  const description = text(input['description']);
  const schema = input['schema'];
  return (
    <>
      <Prose text={description} phase={phase} quiet />
      {phase === 'answered' ? (
        <Filled schema={schema} answer={ask.answer} />
      ) : (
        <Fields
          schema={schema}
          values={input['values']}
          label={line(input['submitLabel'])}
          phase={phase}
          ask={ask}
        />
      )}
    </>
  );
}

interface FieldsProps extends Pick<DisplayProps, 'phase' | 'ask'> {
  schema: Json | undefined;
  values?: Json | undefined;
  label?: string;
}

/** The fields of a form. They are disabled unless the user is asked. */
export function Fields({ schema, values, label = '', phase, ask }: FieldsProps) {
  const id = useId();
  const filled = useMemo(() => prefilled(schema, values), [schema, values]);
  // Nothing to show until the schema arrives.
  if (!ask.open && objectOf(schema) === null) return null;
  return (
    <>
      <fieldset className="display-form" data-entry disabled={!ask.open || ask.sending} data-phase={phase}>
        <Form id={id} draftKey={ask.draftKey} schema={filled} invalid={null} onSend={ask.send} />
      </fieldset>
      {ask.open && (
        <div className="display-options" data-answers>
          <button type="submit" form={id} className="button primary" {...inactiveWhile(ask.sending)}>
            {oneLine(label) || t('question.send')}
          </button>
        </div>
      )}
    </>
  );
}

/** The submitted values, labeled by the form's titles. */
export function Filled({ schema, answer }: { schema: Json | undefined; answer: Json | undefined }) {
  const values = objectOf(answer);
  if (values === null)
    return (
      <p className="display-words">
        <Lines text={textOf(answer)} />
      </p>
    );
  const titles = new Map(questionsOf(schema).map(({ name, title }) => [name, title]));
  return (
    <Facts
      of={Object.entries(values).map(([name, value]) => ({
        label: titles.get(name) ?? name,
        value:
          typeof value === 'boolean'
            ? t(value ? 'question.yes' : 'question.no')
            : Array.isArray(value)
              ? joinFacts(value.map(textOf))
              : textOf(value),
      }))}
    />
  );
}
