import type { ToolCall } from '../../transcript/model';
import { objectOf } from '../../transcript/object';
import type { Json } from '../../transcript/types';
import { type Fields, facts, list } from './read';
import { type Result, readableOf, shapesOf } from './result';
import { filled, usesResult } from './template';

// How a display of the user's own is drawn: its definition names a component (`as`) and what that is given, with templates
// over the arguments and the result.

const components: Record<string, string> = {
  card: 'showCard',
  table: 'showTable',
  chart: 'showChart',
  diff: 'showDiff',
  markdown: 'showMarkdown',
  image: 'showImage',
  progress: 'showProgress',
  fields: '',
};

export interface Rendered {
  /** The display tool of Weft with the same component; empty for the fields themselves. */
  like: string;
  input: Fields;
  /** The result is in it, so that it needs not be behind it. */
  hasResult: boolean;
}

/** How a call is drawn, and with what; null where the component of its own name draws what it was sent. */
export function renderedOf(
  call: ToolCall,
  args: Fields,
  result: Result | null,
  answer: Json | undefined,
): Rendered | null {
  const render = objectOf(objectOf(call.drawn)?.['render']);
  const as = render?.['as'];
  if (render === null || typeof as !== 'string' || !Object.hasOwn(components, as)) return null;
  const { as: _, ...given } = render;
  const like = components[as] ?? '';
  const value = readableOf(result) ?? answer;
  const made = objectOf(filled(given, { args, result: value })) ?? {};
  // One that only says what it looks like is given what the tool is; a figure also where it only has a title.
  const named = Object.keys(given).some((name) => like === 'showCard' || name !== 'title');
  const input: Fields = named || like === '' ? made : { ...args, ...made };
  const label = objectOf(input['fields']);
  if (label !== null)
    input['fields'] = Object.entries(label).map(([name, one]) => ({ label: name, value: one }));
  if (like === 'showTable' && (!('columns' in input) || !('rows' in input)))
    Object.assign(input, tableOf(input, value));
  const uses = usesResult(given);
  if (result !== null && !uses) {
    if (like === 'showMarkdown' && !('text' in input))
      return {
        like,
        input: { ...input, text: result.texts.join('\n\n') },
        hasResult: result.texts.length > 0,
      };
    if (like === 'showImage' && !('src' in input) && result.images[0] !== undefined)
      return { like, input: { alt: '', ...input, src: result.images[0].src }, hasResult: true };
  }
  return {
    like,
    input: like === '' ? fieldsOf(args, input) : input,
    hasResult: uses || (like === 'showTable' && result !== null),
  };
}

/** The main list of a result as a table, or the rows with columns for what is in them. */
function tableOf(input: Fields, value: Json | undefined): Fields {
  const rows = 'rows' in input ? input['rows'] : value;
  const table = shapesOf(Array.isArray(rows) ? [...list(rows)] : rows).find(
    (shape) => shape.type === 'table',
  );
  if (table?.type !== 'table') return {};
  return { columns: table.input['columns'] ?? [], rows: table.input['rows'] ?? [], ...input };
}

/** The fields that are written out: those that are named, else what was sent. */
function fieldsOf(args: Fields, { fields, actions }: Fields): Fields {
  const named = facts(fields).map(({ label, value }): [string, Json] => [label, value]);
  const out = named.length > 0 ? Object.fromEntries(named) : { ...args };
  return actions === undefined ? out : { ...out, actions };
}
