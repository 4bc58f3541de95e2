import { expect, test } from 'vitest';
import { filtersOf, withFilter, withoutFilter } from './searchQuery';

const names = (query: string) =>
  filtersOf(query).map(({ name, value, not }) => `${not ? '-' : ''}${name}=${value}`);

test('filters are read as the backend reads them', () => {
  expect(names('kind:call useEffect( has:error')).toEqual(['kind=call', 'has=error']);
  expect(names('space:"my shop" agent:claude x')).toEqual(['space=my shop', 'agent=claude']);
  expect(names('KIND:call')).toEqual(['kind=call']);
  expect(names('std::vector http://a/b kind: --kind:call xkind:call -kind:')).toEqual([]);
  expect(names('-kind:call x -space:"my shop" -HAS:error')).toEqual([
    '-kind=call',
    '-space=my shop',
    '-has=error',
  ]);
  expect(names('"kind:call is a filter" file:a.go')).toEqual(['file=a.go']);
  expect(names('"an open quote kind:call')).toEqual([]);
});

test('a filter is added once, before the words, and taken out again', () => {
  const query = withFilter('error', 'space', 'my shop');
  expect(query).toBe('space:"my shop" error');
  expect(withFilter(query, 'space', 'my shop')).toBe(query);
  expect(withFilter('', 'kind', 'call')).toBe('kind:call ');
  const [first] = filtersOf(query);
  expect(first && withoutFilter(query, first)).toBe('error');
  expect(filtersOf('a kind:call b').map((one) => withoutFilter('a kind:call b', one))).toEqual(['a b']);
  expect(filtersOf('a -kind:call b').map((one) => withoutFilter('a -kind:call b', one))).toEqual(['a b']);
  expect(withFilter('-kind:call', 'kind', 'call')).toBe('kind:call -kind:call');
  expect(names(withFilter('x', 'agent', 'a "b" c'))).toEqual(['agent=a b c']);
});
