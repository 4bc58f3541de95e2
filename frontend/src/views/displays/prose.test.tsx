import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { display, draw } from './displays.fixture';

/** What the schemas in backend/gateway/tools call Markdown. */
it.each([
  ['showApprovalForm', 'description'],
  ['showForm', 'description'],
  ['showCard', 'text'],
  ['showMarkdown', 'text'],
])('%s draws its %s as Markdown', (tool, field) => {
  draw(
    display(tool, {
      title: 'A laptop',
      schema: { type: 'object', properties: { name: { type: 'string' } } },
      [field]: 'It costs **$1,299** once.\n\n- one\n- two',
    }),
  );
  expect(screen.getByText('$1,299').closest('strong')).not.toBeNull();
  expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual(['one', 'two']);
});
