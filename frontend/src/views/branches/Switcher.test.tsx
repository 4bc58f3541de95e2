import { render, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { arrivalDirection, goAlong } from '../../state/branches';
import { Weft, WeftContext } from '../../state/weft';
import type { Fork } from '../../transport/api';
import type { Transport } from '../../transport/transport';
import { Switcher } from './Switcher';

test('gets the focus of who comes from another branch, also when its row is hidden at first', async () => {
  Element.prototype.scrollIntoView = vi.fn();
  const weft = new Weft({ kind: 'serve', call: () => new Promise(() => {}) } as unknown as Transport);
  const fork: Fork = { messageId: 'msg', at: 1, spaces: ['one', 'two'] };
  // A disabled fieldset stands for a hidden row: jsdom has no layout.
  const row = (hidden: boolean) => (
    <WeftContext value={weft}>
      <fieldset disabled={hidden}>
        <Switcher spaceId="two" fork={fork} />
      </fieldset>
    </WeftContext>
  );
  goAlong('two', 'one', 1);
  const { rerender } = render(row(true));
  expect(document.body).toHaveFocus();
  rerender(row(false));
  await waitFor(() => expect(screen.getByRole('button', { name: 'Previous branch (2 of 2)' })).toHaveFocus());
  expect(arrivalDirection('two', fork)).toBeNull();
});
