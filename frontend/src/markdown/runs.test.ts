// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { breakRuns, RunBreaks } from './runs';
import { grammars } from './testing/grammars';
import { Random } from './testing/random';

const SHORT_RUN = 1024;

/** Where runs end in a text that arrives in pieces of random length. */
function breaksOf(text: string, random?: Random): number[] {
  const breaks = new RunBreaks();
  const places: number[] = [];
  for (let at = 0; at < text.length; ) {
    const end = random === undefined ? text.length : at + 1 + random.below(300);
    for (const place of breaks.take(text.slice(at, end))) places.push(at + place);
    at = end;
  }
  return places;
}

it('ends the runs of every construct at the same places, whatever the pieces', () => {
  const random = new Random(7);
  for (const [name, text] of grammars(6000)) {
    const places = breaksOf(text);
    expect(breaksOf(text, random), name).toEqual(places);
    // Only whitespace may make a run longer.
    for (const [i, start] of [0, ...places].entries()) {
      const run = text.slice(start, places[i] ?? text.length);
      expect(run.trim().length, name).toBeLessThanOrEqual(SHORT_RUN);
    }
  }
});

it('leaves the words of a paragraph as they are, and code alone', () => {
  const template = document.createElement('template');
  const words = 'word '.repeat(400);
  template.innerHTML = `<p>${words}<em>${words}</em></p><pre><code>${words}</code></pre>`;
  const before = template.content.textContent;
  breakRuns(template.content);
  expect(template.content.textContent).toBe(before);
  expect(template.content.querySelectorAll('p wbr').length).toBeGreaterThan(10);
  expect(template.content.querySelectorAll('pre wbr')).toHaveLength(0);
});
