import { expect, it } from 'vitest';
import { saidOf } from './said';

const reading = { commands: [{ line: 'npm test', shell: 'bash -lc', args: ['bash', '-lc', 'npm test'] }] };

it.each([
  ['npm test'],
  ['`npm test`'],
  ['$ npm test'],
  ['```sh\nnpm test\n```'],
  ['~~~\nnpm   test\n~~~'],
  ['bash -lc npm test'],
])('drops a repetition of the command: %s', (text) => {
  expect(saidOf([text], reading)).toEqual([]);
});

it('keeps the sentence beside a fence, and says nothing twice', () => {
  expect(
    saidOf(
      ['npm test', '```sh\nnpm test\n```\nRuns the tests.', 'Runs the tests', 'runs the tests.'],
      reading,
    ),
  ).toEqual(['Runs the tests.']);
  expect(saidOf(['Run it', 'Run it now'], reading)).toEqual(['Run it now']);
});

it('keeps what a fence holds if the card does not show it', () => {
  expect(saidOf(['```\nrm -rf ~\n```'], reading)).toEqual(['rm -rf ~']);
  expect(saidOf(['```\nrm -rf ~'], reading)).toEqual(['rm -rf ~']);
});
