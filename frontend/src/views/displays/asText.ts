import { t } from '../../i18n';
import { objectOf } from '../../transcript/object';
import type { Json } from '../../transcript/types';
import { diffLines, hunks } from '../diff/compare';
import { questionsOf } from '../questions/schema';
import { chosenOf, optionsOf } from './choices';
import { type Fields, facts, fieldsIn, line, list, pretty, text, textOf } from './read';
import type { Result } from './result';

// Converts a display to text, for copying and for places without components.

type Writer = (input: Fields, answer: Json | undefined) => (string | false)[];

const factLines = (value: Json | undefined) => facts(value).map((one) => `${one.label}: ${one.value}`);

const writers: Record<string, Writer> = {
  showApprovalForm: (input, answer) => {
    const of = objectOf(answer);
    return [
      text(input['title']),
      text(input['description']),
      ...factLines(input['details']),
      typeof of?.['approved'] === 'boolean' && t(of['approved'] ? 'displays.approved' : 'displays.rejected'),
      text(of?.['comment']),
    ];
  },
  showChoice: (input, answer) => {
    const { ids, other } = chosenOf(answer);
    return [
      text(input['question']),
      ...optionsOf(input).map(({ id, label, description }) => {
        const mark = ids.includes(id) ? '[x]' : '[ ]';
        return `${mark} ${label}${description === '' ? '' : ` (${description})`}`;
      }),
      other,
    ];
  },
  showForm: (input, answer) => {
    const values = objectOf(answer ?? input['values']) ?? {};
    return [
      text(input['title']),
      text(input['description']),
      ...questionsOf(input['schema']).map(({ name, title }) => `${title}: ${textOf(values[name])}`),
    ];
  },
  showCard: (input, answer) => [
    text(input['title']),
    text(input['subtitle']),
    text(input['price']),
    list(input['badges']).map(textOf).join(', '),
    text(input['text']),
    ...factLines(input['fields']),
    ...fieldsIn(input['actions'])
      .filter(({ id }) => id !== undefined && id === objectOf(answer)?.['action'])
      .map(({ label }) => `→ ${line(label)}`),
  ],
  showDiff: (input) => {
    const [before, after] = [input['oldText'], input['newText']].map((one) =>
      typeof one === 'string' ? one : '',
    );
    const marks = { same: ' ', added: '+', removed: '-' };
    return [
      text(input['path']),
      ...hunks(diffLines(before ?? '', after ?? '')).flatMap((hunk) => [
        '@@',
        ...hunk.lines.map((one) => `${marks[one.type]}${one.text}`),
      ]),
    ];
  },
  showImage: (input) => {
    const src = input['src'];
    return [
      text(input['alt']),
      text(input['caption']),
      typeof src === 'string' && !src.startsWith('data:') && src,
    ];
  },
  showMarkdown: (input) => [typeof input['text'] === 'string' && input['text']],
  showProgress: (input) => [
    text(input['title']),
    typeof input['percent'] === 'number' && t('displays.percent', { n: input['percent'] }),
    ...fieldsIn(input['steps']).map((step) => `${line(step['label'])}: ${line(step['status'])}`),
  ],
};

/** A display as plain text; for other tools, the input fields and the result. */
export function asText(
  name: string,
  title: string,
  input: Fields,
  answer: Json | undefined,
  result: Result | null,
): string {
  const writer = Object.hasOwn(writers, name) ? writers[name] : undefined;
  const own = () => [title, ...Object.entries(input).map(([label, value]) => `${label}: ${textOf(value)}`)];
  return [
    ...(writer === undefined ? own() : writer(input, answer)),
    ...(result === null
      ? []
      : [...result.texts, pretty(result.value), ...result.links.map(({ uri }) => uri)]),
    writer === undefined && answer !== undefined && `→ ${textOf(answer)}`,
  ]
    .filter((part) => part !== false && part !== '')
    .join('\n');
}

/** The input of the agent, the result of the tool, and the user's answer. */
export function asJson(input: Fields, answer: Json | undefined, result: Result | null): string {
  const found = result === null ? undefined : (result.value ?? result.texts.join('\n'));
  return pretty({
    input,
    ...(found === undefined ? {} : { result: found }),
    ...(answer === undefined ? {} : { answer }),
  });
}
