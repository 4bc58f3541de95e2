import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Json } from '../../transcript/types';
import { display, draw } from './displays.fixture';

const schema = { type: 'object', properties: { name: { type: 'string' } } };

/** What each display renders as Markdown. */
const markdown: Readonly<Record<string, readonly string[]>> = {
  showApprovalForm: ['description'],
  showForm: ['description'],
  showCard: ['text'],
  showMarkdown: ['text'],
  showChoice: ['options[].description'],
  showChart: [],
  showDiff: [],
  showImage: [],
  showProgress: [],
  showTable: [],
};

interface Definition {
  name: string;
  inputSchema: Property;
}
interface Property {
  description?: string;
  properties?: Record<string, Property>;
  items?: Property;
}

const folder = resolve('../backend/gateway/tools');
const definitions = readdirSync(folder)
  .filter((name) => /^show\w+\.json$/.test(name))
  .map((name) => JSON.parse(readFileSync(resolve(folder, name), 'utf8')) as Definition);

/** The fields that a schema declares as Markdown. */
function promised({ description = '', properties = {}, items }: Property, path = ''): string[] {
  const own = /\bMarkdown\b/.test(description) && path !== '' ? [path] : [];
  const inner = Object.entries(properties).flatMap(([name, property]) =>
    promised(property, path === '' ? name : `${path}.${name}`),
  );
  return [...own, ...inner, ...(items === undefined ? [] : promised(items, `${path}[]`))];
}

it('draws as Markdown what the schemas call Markdown, and nothing else', () => {
  const all = definitions.map(({ name, inputSchema }) => [name, promised(inputSchema)]);
  expect(Object.fromEntries(all)).toEqual(markdown);
});

const blocks = Object.entries(markdown).flatMap(([tool, fields]) =>
  fields.filter((field) => !field.includes('[]')).map((field) => [tool, field] as const),
);

it.each(blocks)('%s draws its %s as Markdown', (tool, field) => {
  draw(display(tool, { title: 'A laptop', schema, [field]: 'It costs **$1,299** once.\n\n- one\n- two' }));
  expect(screen.getByText('$1,299').closest('strong')).not.toBeNull();
  expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual(['one', 'two']);
});

it('draws the description of a choice as one line of Markdown, without links', () => {
  const description = 'Ripe **since** `Monday`, [says](https://a.test) it\n\n# nobody';
  draw(
    display('showChoice', { question: 'Which?', options: [{ id: 'a', label: '**Apple**', description }] }),
  );
  const option = screen.getByRole('button', { name: /Apple/ });
  expect(option).toHaveTextContent('**Apple**Ripe since Monday, says it');
  expect(option.querySelector('strong')).toHaveTextContent('since');
  expect(option.querySelector('code')).toHaveTextContent('Monday');
  expect(screen.queryByRole('link')).toBeNull();
});

it.each(blocks.filter(([tool]) => tool !== 'showMarkdown'))('%s hides nothing in its %s', (tool, field) => {
  const hides = '<details>\n<summary>More</summary>\n\nAnd the *house*.\n\n</details>\n\n$\\phantom{car}$';
  draw(display(tool, { title: 'Sell', schema, [field]: hides }));
  expect(screen.getByText('house')).toBeVisible();
  expect(screen.getByText('$\\phantom{car}$')).toBeVisible();
});

/** Text in each field that isn't Markdown. */
const plain: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  showApprovalForm: { title: '**a**', details: [{ label: '**b**', value: '**c**' }], approveLabel: '**d**' },
  showForm: { title: '**a**', schema, submitLabel: '**d**' },
  showCard: { title: '**a**', subtitle: '**b**', fields: [{ label: '**c**', value: '**d**' }] },
  showProgress: { title: '**a**', steps: [{ label: '**b**', state: 'running' }] },
  showTable: { title: '**a**', columns: [{ key: 'x', label: '**b**' }], rows: [{ x: '**c**' }] },
};

it.each(Object.entries(plain))('%s leaves its other words as they are', (tool, input) => {
  draw(display(tool, input));
  const container = document.body;
  expect(container.querySelector('strong')).toBeNull();
  expect(container).toHaveTextContent('**a**');
});
