import { fireEvent, render, screen, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import type { Weft } from '../../state/weft';
import { WeftContext } from '../../state/weft';
import type { Install, InstallQuestion as Question } from '../../transport/api';
import { InstallQuestion } from './InstallQuestion';

const install = { id: 'robin', name: 'Robin', version: '1.0.0', state: 'asking' } as Install;
const question: Question = {
  code: 'install_scripts',
  token: 'abc',
  message: '',
  host: '',
  address: '',
  bytes: 0,
  scripts: [],
  packages: [],
};

function shown(change: Partial<Question>) {
  const call = vi.fn(async () => null);
  const weft = {
    transport: { call },
    attempt: async (_: string, work: () => Promise<unknown>) => {
      await work();
    },
  } as unknown as Weft;
  render(
    <WeftContext value={weft}>
      <InstallQuestion install={install} question={{ ...question, ...change }} />
    </WeftContext>,
  );
  return call;
}

it('shows every install script exactly, and answers for this question only', async () => {
  const call = shown({
    scripts: [
      { package: '@scope/early', version: '1.0.0', event: 'preinstall', command: 'node a.js\n\u202Egnp' },
      { package: 'robin', version: '2.0.0', event: 'postinstall', command: 'node b.js' },
    ],
  });
  expect(screen.getByRole('alert')).toHaveTextContent('Robin 1.0.0');
  const list = within(screen.getByRole('list', { name: 'Install scripts' }));
  expect(list.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^@scope\/early 1\.0\.0 · preinstallnode a\.js.*u\{?202e/i),
    'robin 2.0.0 · postinstallnode b.js',
  ]);
  expect(list.getAllByRole('listitem')[0]?.textContent).not.toContain('\u202E');
  fireEvent.click(screen.getByRole('button', { name: 'Install without scripts' }));
  expect(call).toHaveBeenLastCalledWith('AnswerInstall', { id: 'robin', token: 'abc', yes: false });
});

it('names the server and the size of a download that has no checksum', async () => {
  const call = shown({
    code: 'unverified_download',
    host: 'example.com',
    address: 'https://example.com/robin.tar.gz',
    bytes: 2048,
  });
  const asks = screen.getByRole('region', { name: 'Download without a checksum' });
  expect(asks.textContent?.replace(/\u202f/g, ' ')).toContain('from example.com (2.0 KB)');
  expect(asks).toHaveTextContent('https://example.com/robin.tar.gz');
  expect(screen.queryByRole('button', { name: 'Install without scripts' })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Install anyway' }));
  expect(call).toHaveBeenLastCalledWith('AnswerInstall', { id: 'robin', token: 'abc', yes: true });
});

it('cancels the installation', () => {
  const call = shown({ code: 'unverified_download' });
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(call).toHaveBeenLastCalledWith('CancelInstall', { id: 'robin' });
});

it('names the packages that would be built from source', () => {
  const call = shown({ code: 'source_build', packages: ['proxy-tools', 'lxml'] });
  const list = within(screen.getByRole('list', { name: 'Build from source' }));
  expect(list.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'proxy-tools',
    'lxml',
  ]);
  expect(screen.queryByRole('button', { name: 'Install without scripts' })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Build and install' }));
  expect(call).toHaveBeenLastCalledWith('AnswerInstall', { id: 'robin', token: 'abc', yes: true });
});

it('asks to build also where no package is named', () => {
  shown({ code: 'source_build' });
  expect(screen.queryByRole('list')).toBeNull();
  expect(screen.getByRole('region', { name: 'Build from source' })).toHaveTextContent(
    'A Python package has no prebuilt version',
  );
});
