import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { ListedRule } from '../transport/api';
import { CommandError } from '../transport/transport';
import { Changes } from '../views/changes/Changes';
import McpSettings from '../views/mcp/McpSettings';
import { newRule, RuleList } from '../views/permissions/RuleList';
import { SecretSettings } from '../views/secrets/SecretSettings';
import { Backend, draw } from './app.fixture';

const rule = (id: string, command: string): ListedRule => ({
  ...newRule,
  id,
  command,
  kind: 'execute',
  space: '',
  agentName: '',
});

const twoLists = (
  <>
    <RuleList form={null} onForm={() => {}} />
    <RuleList form={null} onForm={() => {}} />
  </>
);

/** A promise that the test settles. */
function later<T>() {
  let settle: (value: T) => void = () => {};
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
}

test('two views of the same list cause one request', async () => {
  const backend = new Backend({ PermissionRules: [rule('r1', 'git status')] });
  draw(backend, twoLists);
  expect(await screen.findAllByText('git status')).toHaveLength(2);
  expect(backend.count('PermissionRules')).toBe(1);
});

test('an event that a list has changed causes one request and updates every view of it', async () => {
  const backend = new Backend({ PermissionRules: [rule('r1', 'git status')] });
  draw(backend, twoLists);
  await screen.findAllByText('git status');
  const before = backend.count('PermissionRules');
  backend.answers['PermissionRules'] = [rule('r2', 'make test')];
  backend.tell({ type: 'permission_rules' });
  await waitFor(() => expect(screen.getAllByText('make test')).toHaveLength(2));
  expect(screen.queryByText('git status')).toBeNull();
  expect(backend.count('PermissionRules')).toBe(before + 1);
});

test('a burst of events during a request causes one more, which reads the last state', async () => {
  const first = later<ListedRule[]>();
  const backend = new Backend({ PermissionRules: first.promise });
  draw(backend, twoLists);
  await waitFor(() => expect(backend.count('PermissionRules')).toBe(1));
  backend.answers['PermissionRules'] = [rule('r2', 'make test')];
  for (let i = 0; i < 20; i++) backend.tell({ type: 'permission_rules' });
  first.settle([rule('r1', 'git status')]);
  await waitFor(() => expect(screen.getAllByText('make test')).toHaveLength(2));
  expect(backend.count('PermissionRules')).toBe(2);
});

test('an event of one list does not read the others', async () => {
  const backend = new Backend({
    MCPServers: [],
    Secrets: { store: 'keychain', keychain: true, usable: true, problem: '' },
    PermissionRules: [],
  });
  draw(
    backend,
    <>
      {twoLists}
      <McpSettings />
      <SecretSettings />
    </>,
  );
  await waitFor(() => expect(backend.count('MCPServers')).toBe(1));
  backend.tell({ type: 'mcp_servers' });
  await waitFor(() => expect(backend.count('MCPServers')).toBe(2));
  expect(backend.count('Secrets')).toBe(2);
  expect(backend.count('PermissionRules')).toBe(1);
});

test('lists that are shown are read again after events were lost', async () => {
  const backend = new Backend({ PermissionRules: [rule('r1', 'git status')] });
  draw(backend, twoLists);
  await screen.findAllByText('git status');
  backend.answers['PermissionRules'] = [rule('r2', 'make test')];
  backend.gap();
  await waitFor(() => expect(screen.getAllByText('make test')).toHaveLength(2));
});

test('a list that could not be read says why and is read again on demand', async () => {
  const backend = new Backend({ PermissionRules: new CommandError('storage', 'The disk is full.') });
  draw(backend, <RuleList form={null} onForm={() => {}} />);
  expect(await screen.findByRole('alert')).toHaveTextContent('The disk is full.');
  backend.answers['PermissionRules'] = [rule('r1', 'git status')];
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('git status')).toBeInTheDocument();
  expect(backend.count('PermissionRules')).toBe(2);
});

test('what the user may have changed in an editor is read again when the window has the focus', async () => {
  const backend = new Backend({ ReviewChanges: { files: [], coverage: '', watching: true, last: null } });
  draw(backend, <Changes spaceId="s1" />);
  await waitFor(() => expect(backend.count('ReviewChanges')).toBe(1));
  window.dispatchEvent(new Event('focus'));
  await waitFor(() => expect(backend.count('ReviewChanges')).toBe(2));
  expect(backend.count('ReviewDiff')).toBe(0);
});
