import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { LeftOut } from './LeftOut';

it('lists the places of secrets that a backup leaves out', () => {
  const html = renderToStaticMarkup(<LeftOut title="Left out" places={['agents.a.env.KEY', 'b\u202Ec']} />);
  expect(html).toContain('<code>agents.a.env.KEY</code>');
  expect(html).not.toContain('\u202E');
  expect(renderToStaticMarkup(<LeftOut title="Left out" places={[]} />)).toBe('');
});
