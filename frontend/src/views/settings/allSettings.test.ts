import { expect, it } from 'vitest';
import type { Agent, McpServer } from '../../transport/api';
import { allSettings, matching } from './allSettings';
import { listedSections, sectionName } from './sections';

const agents = [{ id: 'robin', name: 'Robin', description: 'Sings in the orchard' }] as Agent[];
const servers = [{ name: 'pears', type: 'http', url: 'https://pears.test/mcp', command: '' }] as McpServer[];
const finds = allSettings(agents, servers);
const titles = (query: string) => matching(finds, query).map(({ title }) => title);

it('finds every section by its name', () => {
  for (const section of listedSections)
    expect(matching(finds, sectionName(section)).map((find) => find.section)).toContain(section);
});

it('finds by title, by words that are not shown and by descriptions, in this order', () => {
  expect(titles('theme')[0]).toBe('Theme');
  expect(titles('dark')[0]).toBe('Theme');
  expect(titles('REASONING')).toEqual(['Thoughts']);
  expect(titles('sandbox')[0]).toBe('Sandbox');
  const byKey = titles('secret');
  expect(byKey.indexOf('Secrets')).toBeLessThan(byKey.indexOf('Environment'));
});

it('wants every word, in any order and at any distance', () => {
  expect(titles('text size')).toEqual(['Text size']);
  expect(titles('size  text ')).toEqual(['Text size']);
  expect(titles('text nowhere')).toEqual([]);
});

it('finds what the user has set up', () => {
  expect(matching(finds, 'robin')).toMatchObject([{ section: 'agents', row: 'agent-robin' }]);
  expect(matching(finds, 'orchard')).toMatchObject([{ row: 'agent-robin' }]);
  expect(matching(finds, 'pears.test')).toMatchObject([{ section: 'mcp', row: 'mcp-pears' }]);
});

it('finds nothing for an empty query', () => {
  expect(titles('')).toEqual([]);
  expect(titles('  ')).toEqual([]);
});
