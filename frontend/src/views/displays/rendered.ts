import type { ToolCall } from '../../transcript/model';
import { objectOf } from '../../transcript/object';
import type { Json } from '../../transcript/types';
import { type Fields, facts, list } from './read';
import { type Result, readableOf, shapesOf } from './result';
import { filled, usesResult } from './template';

// Renders custom displays: their definition names a component (`as`) and its props, which may contain templates over
// the arguments and the result.

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
  /** The built-in display tool with the same component; empty for plain fields. */
  like: string;
  input: Fields;
  /** It includes the result, so that isn't shown again. */
  hasResult: boolean;
}

/** Returns how to render a call and with which props; null if its own component renders the input as sent. */
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
  // If the definition only names the component, it gets the tool's arguments; a figure also if it only has a title.
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

/** The main list of a result as a table, or its rows with suitable columns. */
function tableOf(input: Fields, value: Json | undefined): Fields {
  const rows = 'rows' in input ? input['rows'] : value;
  const table = shapesOf(Array.isArray(rows) ? [...list(rows)] : rows).find(
    (shape) => shape.type === 'table',
  );
  if (table?.type !== 'table') return {};
  return { columns: table.input['columns'] ?? [], rows: table.input['rows'] ?? [], ...input };
}

/** The fields to show: those that are named, otherwise the input. */
function fieldsOf(args: Fields, { fields, actions }: Fields): Fields {
  const named = facts(fields).map(({ label, value }): [string, Json] => [label, value]);
  const out = named.length > 0 ? Object.fromEntries(named) : { ...args };
  return actions === undefined ? out : { ...out, actions };
}
