import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../transcript/types';
import { display, draw, inputs, png, written } from './displays.fixture';

const region = (): HTMLElement => {
  const [drawn] = document.querySelectorAll<HTMLElement>('.display');
  if (drawn === undefined) throw new Error('nothing is displayed');
  return drawn;
};

describe.each(Object.entries(inputs))('%s', (name, input) => {
  it('draws what there is of its input at every place that it may be cut', async () => {
    const whole = JSON.stringify(input);
    const step = Math.max(1, Math.floor(whole.length / 120));
    const redraw = draw(written(name));
    expect(region()).toHaveAttribute('aria-busy', 'true');
    for (let at = 1; at <= whole.length; at += step) {
      redraw(written(name, whole.slice(0, at)));
      expect(region()).not.toHaveTextContent('[object Object]');
      expect(region()).not.toHaveTextContent(/undefined|NaN|could not/);
    }
    redraw(written(name, whole));
    const first = Object.values(input).find((value) => typeof value === 'string' && value !== png) as string;
    // A diff shows its text, the others show their titles.
    const shown = name === 'showDiff' ? 'three' : first.replace(/^# (\w+).*/s, '$1').trim();
    // Markdown is rendered in the next frame.
    await waitFor(() => expect(region()).toHaveTextContent(shown));
    expect(screen.queryByRole('button', { name: /^\d?(Answer|Release|Buy|Deliver)$/ })).toBeNull();
  });

  it('survives everything that is not what it should be', () => {
    const odd: Json[] = [
      null,
      true,
      0,
      -1.5,
      '',
      'text',
      [],
      [[]],
      {},
      { a: null },
      [null, 1, 'x', {}, [{}]],
    ];
    const redraw = draw(display(name, input));
    for (const value of odd) {
      redraw(display(name, value, 'completed', { output: value }));
      for (const field of Object.keys(input)) {
        redraw(display(name, { ...input, [field]: value }, 'waiting'));
        redraw(display(name, { ...input, [field]: [value] }, 'completed', { output: { answer: value } }));
      }
      expect(screen.queryByText(/could not be drawn|went wrong/)).toBeNull();
      expect(region()).toBeInTheDocument();
    }
  });

  it('shows markup, hidden characters and addresses as what they are', () => {
    const evil = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>\u202eevil\u200b';
    const spoil = (value: Json): Json => {
      if (typeof value === 'string') return evil;
      if (Array.isArray(value)) return value.map(spoil);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value).map(([key, one]) => [key, key === 'type' ? one : spoil(one)]),
      );
    };
    const redraw = draw();
    for (const status of ['waiting', 'completed'] as const) {
      redraw(display(name, spoil(input), status));
      const drawn = region();
      expect(drawn.querySelector('script, iframe, object, embed, link, style, [onerror]')).toBeNull();
      for (const image of drawn.querySelectorAll('img'))
        expect(image.getAttribute('src')).toMatch(/^data:image/);
      if (name !== 'showMarkdown') expect(drawn.textContent).not.toMatch(/[\u202e\u200b]/);
      expect((window as { hit?: number }).hit).toBeUndefined();
    }
  });
});

describe('a picture', () => {
  const sources: [string, boolean][] = [
    [png, true],
    ['data:text/html;base64,PHNjcmlwdD4=', false],
    ['data:image/svg+xml;base64,PHN2Zz4=', false],
    ['data:image/png;base64,"><script>', false],
    ['https://example.org/a.png', false],
    ['//example.org/a.png', false],
    ['javascript:alert(1)', false],
    ['/blob/abc', false],
    ['file:///etc/passwd', false],
    ['blob:http://localhost/1', false],
  ];
  it.each(sources)('from %s: drawn %s', (src, isDrawn) => {
    draw(display('showImage', { src, alt: 'x' }, 'completed'));
    expect(document.querySelectorAll('img')).toHaveLength(isDrawn ? 1 : 0);
    const opens = screen.queryByRole('button', { name: 'Open in browser' });
    if (src.startsWith('https:')) expect(opens).toBeInTheDocument();
    else expect(opens).toBeNull();
    expect(document.querySelector('a')).toBeNull();
  });
});
