import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Agent, LastTest } from '../../transport/api';
import { AgentTested } from './AgentTested';

const hour = 3_600_000;

function text(tested: Partial<LastTest> | null): string {
  const test = { at: Date.now(), ok: true, name: '', version: '', failure: '', changed: false, ...tested };
  const agent = { name: 'Robin', tested: tested === null ? null : test } as Agent;
  const { container, unmount } = render(<AgentTested agent={agent} />);
  const said = (container.textContent ?? '').replaceAll('\u202f', ' ');
  unmount();
  return said;
}

it('says that an agent was not tested yet', () => {
  expect(text(null)).toBe('Not tested yet');
});

it('says when an agent was tested, and what it is', () => {
  expect(text({ name: 'opencode', version: '1.4.2' })).toBe('Tested just now: opencode 1.4.2, works');
  expect(text({ at: Date.now() - 2 * hour - 60_000, name: 'opencode' })).toBe(
    'Tested 2 hours ago: opencode, works',
  );
  expect(text({ at: Date.now() - 30 * 24 * hour })).toMatch(/^Tested on .*\d.*: Robin, works$/);
});

it('says why a test failed', () => {
  expect(text({ ok: false, failure: "robin wasn't found.\nInstall it." })).toBe(
    "Failed just now: robin wasn't found. Install it.",
  );
  expect(text({ ok: false })).toBe("Failed just now: Couldn't start the agent.");
});

it('says when the result is of what was started before', () => {
  expect(text({ changed: true, at: Date.now() - 3 * hour - 60_000 })).toBe(
    'Changed since it was tested 3 hours ago',
  );
});
