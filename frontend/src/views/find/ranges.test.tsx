import { readFileSync } from 'node:fs';
import { render } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { Markdown } from '../../markdown';
import { beginFrame } from '../../markdown/frameBudget';
import { folded } from './fold';
import { liveRange, matchesWithin } from './ranges';

afterEach(() => document.body.replaceChildren());

/** Matches in HTML written by the test. */
function found(html: string, query: string): string[] {
  const host = document.createElement('div');
  host.innerHTML = html;
  document.body.append(host);
  return matchesWithin([host], folded(query)).map(({ range }) => liveRange(range).toString());
}

it('finds matches that begin in one node and end in another', () => {
  expect(
    found('<div class="prose"><p>Some <b>app</b>les and <i>a</i>pp<code>le</code></p></div>', 'apple'),
  ).toEqual(['apple', 'apple']);
  expect(
    found(
      '<div class="prose"><pre><span>const</span> <span>gr</span><span>öße</span></pre></div>',
      'const größe',
    ),
  ).toEqual(['const größe']);
});

it('finds none across blocks, in words of Weft, and in what is not shown', () => {
  expect(found('<div class="prose"><p>app</p><p>le</p>app<br>le</div>', 'apple')).toEqual([]);
  expect(
    found(
      `<div class="detail"><p class="detail-title">apple</p><button class="text-button">apple</button>
       <span class="visually-hidden">apple</span><span aria-hidden="true">apple</span><p>an apple</p></div>
       <div class="group-line">apple</div>`,
      'apple',
    ),
  ).toEqual(['apple']);
});

it('tells what is around a match in its block, and takes nested parts once', () => {
  const host = document.createElement('div');
  host.innerHTML =
    '<div class="nest-text"><div class="prose"><p>the <b>first</b> one</p><p>the second one</p></div></div>';
  document.body.append(host);
  expect(matchesWithin([host], 'one').map(({ before, after }) => [before, after])).toEqual([
    ['the first ', ''],
    ['the second ', ''],
  ]);
  expect(matchesWithin([host], 'the', 1)).toHaveLength(1);
});

it('finds as much in what is drawn of Markdown as the backend counts', () => {
  const lines = readFileSync('../backend/store/find/testdata/prose.jsonl', 'utf8').trim().split('\n');
  const differ: string[] = [];
  for (const line of lines) {
    beginFrame();
    const { text, query, count } = JSON.parse(line) as { text: string; query: string; count: number };
    const { container, unmount } = render(
      <div className="prose">
        <Markdown text={text} onOpenLink={() => {}} />
      </div>,
    );
    const n = matchesWithin([container], folded(query)).length;
    if (n !== count) differ.push(`${n}: ${line} ${container.innerHTML}`);
    unmount();
  }
  expect(differ).toEqual([]);
});
