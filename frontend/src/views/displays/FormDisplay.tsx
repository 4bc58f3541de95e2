import { useId, useMemo } from 'react';
import { t } from '../../i18n';
import { beside } from '../../i18n/formats';
import { objectOf } from '../../transcript/object';
import type { Json } from '../../transcript/types';
import { oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';
import { resting } from '../parts/resting';
import { Form } from '../questions/Form';
import { prefilled, questionsOf } from '../questions/schema';
import type { DisplayProps } from './display';
import { Facts } from './Facts';
import { Prose } from './Prose';
import { line, text, told } from './read';

/** A form of a JSON Schema, with values in it where the agent has some. */
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

/** The fields; they can be seen, but not filled in, unless the user is asked. */
export function Fields({ schema, values, label = '', phase, ask }: FieldsProps) {
  const id = useId();
  const filled = useMemo(() => prefilled(schema, values), [schema, values]);
  // Before the schema has begun there is nothing to be seen of it.
  if (!ask.open && objectOf(schema) === null) return null;
  return (
    <>
      <fieldset className="display-form" data-entry disabled={!ask.open || ask.sending} data-phase={phase}>
        <Form id={id} draftKey={ask.draftKey} schema={filled} unfit={null} onSend={ask.send} />
      </fieldset>
      {ask.open && (
        <div className="display-options" data-answers>
          <button type="submit" form={id} className="button primary" {...resting(ask.sending)}>
            {oneLine(label) || t('question.send')}
          </button>
        </div>
      )}
    </>
  );
}

/** What was filled in, by the titles of the form. */
export function Filled({ schema, answer }: { schema: Json | undefined; answer: Json | undefined }) {
  const values = objectOf(answer);
  if (values === null)
    return (
      <p className="display-words">
        <Lines text={told(answer)} />
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
              ? beside(value.map(told))
              : told(value),
      }))}
    />
  );
}
