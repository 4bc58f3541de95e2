import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { Backend, draw } from '../../queries/app.fixture';
import { Ways } from './SignIn';

const sso = { id: 'sso', name: 'Single sign-on', type: 'agent' as const };

test('while the user signs in, what the agent writes is shown, and its address can be opened', async () => {
  const backend = new Backend({
    SignIn: new Promise(() => {}),
    AgentWords: { text: 'To sign in, open https://login.example/device and enter ABCD-1234' },
  });
  const opened = vi.spyOn(window, 'open').mockReturnValue(null);
  draw(backend, <Ways target={{ spaceId: 's' }} agentId="robin" methods={[sso]} onDone={() => {}} />);
  expect(backend.count('AgentWords')).toBe(0);
  await userEvent.click(screen.getByRole('button', { name: 'Single sign-on' }));
  expect(await screen.findByText(/enter ABCD-1234/)).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Open login.example' }));
  expect(opened).toHaveBeenCalledWith('https://login.example/device', '_blank', 'noopener,noreferrer');
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeVisible();
  opened.mockRestore();
});

test('an agent that writes nothing has nothing shown', async () => {
  const backend = new Backend({ SignIn: new Promise(() => {}), AgentWords: { text: '' } });
  draw(backend, <Ways target={{ spaceId: 's' }} agentId="robin" methods={[sso]} onDone={() => {}} />);
  await userEvent.click(screen.getByRole('button', { name: 'Single sign-on' }));
  expect(await screen.findByText('Signing in…')).toBeVisible();
  expect(screen.queryByText('The agent wrote:')).toBeNull();
});
