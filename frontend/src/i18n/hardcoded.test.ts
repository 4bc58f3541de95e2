import { expect, it, test } from 'vitest';
import { isNode, sources, walk } from './sources.fixture';

/** Attributes whose text is shown or read aloud. */
const spoken =
  /^(?:aria-(?:label|description|roledescription|valuetext|placeholder)|title|placeholder|alt|label|note|containerAriaLabel)$/;
/** Functions that show their first argument. */
const shows =
  /^(?:say|show(?:Failure|FailureWithAction|WithAction|Undoable|PendingAction)|toast|attempt|setError|announce)$/;

/** Names that are the same in all languages. */
const names = /\b(?:Weft|Inter|JetBrains Mono)\b/g;
/** Example input: addresses, JSON. */
const example = /^(?:https?:\/\/\S+|\{.*\})$/s;
const isWords = (text: string) => !example.test(text) && /\p{L}{2}/u.test(text.replaceAll(names, ''));

/** The string literals that an expression may evaluate to. */
function textsOf(node: unknown): string[] {
  if (!isNode(node)) return [];
  switch (node.type) {
    case 'Literal':
      return typeof node['value'] === 'string' ? [node['value']] : [];
    case 'TemplateLiteral':
      return (node['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
    case 'ConditionalExpression':
      return [...textsOf(node['consequent']), ...textsOf(node['alternate'])];
    case 'LogicalExpression':
    case 'BinaryExpression':
      return /^(?:\+|&&|\|\||\?\?)$/.test(String(node['operator']))
        ? [...textsOf(node['left']), ...textsOf(node['right'])]
        : [];
    case 'JSXExpressionContainer':
      return textsOf(node['expression']);
    default:
      return [];
  }
}

function nameOf(node: unknown): string {
  if (!isNode(node)) return '';
  if (node.type === 'MemberExpression') return nameOf(node['property']);
  return typeof node['name'] === 'string' ? node['name'] : '';
}

/** Text that a source shows without calling `t`. */
function hardCoded(source: string): string[] {
  const found: string[] = [];
  walk(source, (node) => {
    if (node.type === 'JSXText') found.push(String(node['value']));
    if (node.type === 'JSXElement' || node.type === 'JSXFragment')
      for (const child of node['children'] as unknown[])
        if (isNode(child) && child.type === 'JSXExpressionContainer') found.push(...textsOf(child));
    if (node.type === 'JSXAttribute' && spoken.test(nameOf(node['name'])))
      found.push(...textsOf(node['value']));
    if (node.type === 'CallExpression' && shows.test(nameOf(node['callee'])))
      found.push(...textsOf((node['arguments'] as unknown[])[0]));
    // Text of elements created without React.
    if (
      node.type === 'AssignmentExpression' &&
      /^(?:textContent|innerText|title|ariaLabel|placeholder|alt)$/.test(nameOf(node['left']))
    )
      found.push(...textsOf(node['right']));
    return true;
  });
  return found.map((text) => text.trim()).filter(isWords);
}

it.each([
  ['<p>Hello there</p>', ['Hello there']],
  ["<p>{'Hello'}{a ? 'Yes' : t('no')}</p>", ['Hello', 'Yes']],
  ['<p>{`$' + '{n} files`}</p>', ['files']],
  ['<p title="Close" className="close-button" aria-label={on ? \'On\' : off} />', ['Close', 'On']],
  ["showFailure('It broke', error); weft.attempt('Saving', run)", ['It broke', 'Saving']],
  ["node.textContent = 'Copy'", ['Copy']],
  ['<p id="a">{t(\'a.b\')} · {n}% Weft</p>', []],
  ["if (kind === 'file') say(t('a'))", []],
])('%s shows %j', (source, found) => {
  expect(hardCoded(source)).toEqual(found);
});

test('everything that is shown comes from the strings', () => {
  const found = sources.flatMap(([path, source]) => hardCoded(source).map((text) => `${path}: ${text}`));
  expect(found).toEqual([]);
});
