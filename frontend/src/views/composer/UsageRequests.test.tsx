import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { requestsOf, UsageRequests } from './UsageRequests';

const request = (inputTokens: number, more: object = {}) => ({
  model: 'm-1',
  inputTokens,
  cachedReadTokens: 0,
  cachedWriteTokens: 0,
  outputTokens: 5,
  ...more,
});

it('reads no requests where nobody has counted them', () => {
  expect(requestsOf(undefined)).toBeNull();
  expect(requestsOf({ inputTokens: 4 })).toBeNull();
  expect(requestsOf({ requests: [] })).toBeNull();
  expect(requestsOf({ requests: 'many' })).toBeNull();
});

it('reads what each request has used', () => {
  const usage = {
    requests: [request(10, { cachedWriteTokens: 3, cachedReadTokens: 7, cost: 0.5 }), 4, {}],
    requestCount: 9,
  };
  expect(requestsOf(usage)).toEqual({
    count: 9,
    list: [
      { model: 'm-1', input: 13, cached: 7, output: 5, cost: 0.5 },
      { model: '', input: 0, cached: 0, output: 0, cost: null },
    ],
  });
});

function show(usage: Parameters<typeof requestsOf>[0]) {
  const requests = requestsOf(usage);
  if (requests === null) throw new Error('no requests');
  render(<UsageRequests requests={requests} />);
}

it('lists them in their order, opened by keyboard', async () => {
  show({ requests: [request(1200, { cachedReadTokens: 300 }), request(20)], requestCount: 2 });
  const summary = screen.getByText('2 requests in the last turn');
  await userEvent.click(summary);
  const rows = within(screen.getByRole('table')).getAllByRole('row').slice(1);
  expect(rows.map((row) => row.textContent)).toEqual(['11.2K3005', '220–5']);
  expect(screen.queryByRole('columnheader', { name: 'Cost' })).toBeNull();
  expect(screen.queryByRole('columnheader', { name: 'Model' })).toBeNull();
  expect(screen.getByText('m-1')).toBeTruthy();
});

it('names the models where there are several, and costs where one is known', () => {
  show({ requests: [request(1, { cost: 0.25 }), request(2, { model: 'm-2' })], requestCount: 5 });
  const rows = screen.getAllByRole('row', { hidden: true }).slice(1);
  expect(rows.map((row) => row.textContent)).toEqual(['1m-11–5$0.25', '2m-22–5–']);
  expect(screen.getByText("3 more requests aren't shown.")).toBeTruthy();
});
