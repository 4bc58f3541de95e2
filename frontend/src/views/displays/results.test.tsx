import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Json } from '../../transcript/types';
import { answerOf, display, draw, png, sent, settled, written } from './displays.fixture';
import { resultOf, shapesOf } from './result';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const region = () => screen.getByRole('region');
const ran = (result: Json, more: { [key: string]: Json } = {}) => ({
  output: { state: 'shown', at: 1, result, ...more } as Json,
});
const text = (words: string) => ({ content: [{ type: 'text', text: words }] });

describe('the result of a tool', () => {
  it('is drawn behind what it was called with', () => {
    draw(display('findLaptops', { query: 'light' }, 'completed', ran(text('Found 3 laptops'))));
    expect(region()).toHaveTextContent('querylight');
    expect(region()).toHaveTextContent('Found 3 laptops');
  });

  it('of an older conversation is drawn, too', () => {
    const output = { state: 'shown', at: 1, answer: text('Found 3 laptops') } as Json;
    draw(display('findLaptops', {}, 'completed', { output }));
    expect(region()).toHaveTextContent('Found 3 laptops');
  });

  it('is drawn by its shape: fields, a table, a list, JSON', async () => {
    const structuredContent = {
      total: 2,
      unitPrice: 12.5,
      tags: ['a', 'b'],
      seller: { name: 'Ann', city: 'Ghent' },
      items: [
        { name: 'MacBook Pro', price: 1299, parts: { ram: 16 } },
        { name: 'ThinkPad', price: 1149 },
      ],
      deep: { of: { a: [1] } },
    };
    const content = [{ type: 'text', text: JSON.stringify(structuredContent) }];
    draw(display('findLaptops', {}, 'completed', ran({ content, structuredContent })));
    expect(await screen.findByRole('columnheader', { name: /Price/ })).toBeInTheDocument();
    expect(region()).toHaveTextContent('Total2');
    expect(region()).toHaveTextContent('Unit price12.5');
    expect(region()).toHaveTextContent('Tagsa, b');
    expect(region()).toHaveTextContent('Seller · NameAnn');
    expect(region()).toHaveTextContent('MacBook Pro');
    expect(region()).toHaveTextContent('"a": [');
    // Otherwise the same content would be shown twice.
    expect(region().textContent?.match(/ThinkPad/g)).toHaveLength(1);
  });

  it('has pictures, links that load nothing by themselves, and says what cannot be shown', () => {
    const content = [
      { type: 'image', mimeType: 'image/png', data: png.slice(22) },
      { type: 'resource_link', name: 'Invoice', uri: 'https://shop.example/i.pdf', description: 'PDF' },
      { type: 'resource_link', name: 'Script', uri: 'javascript:alert(1)' },
      { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
      { type: 'resource', resource: { uri: 'x://b', text: 'embedded' } },
      null,
      7,
    ];
    draw(display('find', {}, 'completed', ran({ content } as never)));
    expect(region().querySelector('img')).toHaveAttribute('src', png);
    expect(screen.getByRole('button', { name: 'Invoice' })).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Script' })).toBeNull();
    expect(region()).toHaveTextContent("A file that can't be shown (audio/wav)");
    expect(region()).toHaveTextContent('embedded');
    expect(region().querySelector('a, iframe')).toBeNull();
  });

  it('that says why it failed says it once', () => {
    const result = { ...text('No shop answers'), isError: true };
    draw(display('find', {}, 'failed', { ...ran(result, { state: 'failed' }), error: 'No shop answers' }));
    expect(region().textContent?.match(/No shop answers/g)).toHaveLength(1);
  });

  it('that is nothing says so', () => {
    draw(display('find', {}, 'completed', ran({ content: [] })));
    expect(region()).toHaveTextContent('The tool returned no result.');
  });

  it('survives everything that is not what it should be', () => {
    const odd: Json[] = [null, 0, 'x', [], [[]], {}, { a: null }, [null, 1, {}, [{}]], { content: 'x' }];
    for (const value of odd) {
      resultOf(value);
      for (const key of ['content', 'structuredContent', 'isError']) resultOf({ [key]: value });
      for (const key of ['text', 'resource', 'data', 'uri', 'type'])
        resultOf({ content: [{ [key]: value }] });
      shapesOf(value);
      draw(display('find', {}, 'completed', ran({ content: [value], structuredContent: value } as never)));
      expect(screen.queryAllByText(/could not be drawn|went wrong/)).toHaveLength(0);
      document.body.innerHTML = '';
    }
  });
});

const render = {
  as: 'card',
  title: '{{name}} — {{price | money}}',
  text: '{{result}}',
  fields: { Stock: '{{stock}}' },
  actions: [{ id: 'select', label: 'Select' }],
};
const product = { name: 'MacBook Pro', price: 1299, stock: 4 };
const open = { output: { state: 'shown', at: 1, wait: 'none' } as Json, drawn: { render } as Json };

describe('a tool that says how it is drawn', () => {
  it('shows nothing that it does not name', () => {
    const drawn = { render: { as: 'card', title: render.title, actions: render.actions } } as Json;
    draw(display('showProductCard', product, 'completed', { ...open, drawn }));
    expect(region()).toHaveTextContent('MacBook Pro — $1,299');
    expect(region()).not.toHaveTextContent('1299');
  });

  it('is a card with its title, and not its arguments', () => {
    draw(display('showProductCard', product, 'completed', open));
    expect(screen.getByRole('region', { name: 'Card: MacBook Pro — $1,299' })).toBeInTheDocument();
    expect(region()).toHaveTextContent('Stock4');
    expect(region()).not.toHaveTextContent('price');
  });

  it('is answered by its button although nobody waits, and says where the answer went', async () => {
    const redraw = draw(display('showProductCard', product, 'completed', open));
    expect(region()).not.toHaveTextContent('Needs your answer');
    await settled();
    await userEvent.click(screen.getByRole('button', { name: 'Select' }));
    expect(sent).toHaveBeenCalledExactlyOnceWith(...answerOf({ action: 'select' }));
    const output = {
      state: 'answered',
      by: 'person',
      at: 1,
      wait: 'none',
      answer: { action: 'select' },
    } as Json;
    redraw(display('showProductCard', product, 'completed', { ...open, output }));
    expect(screen.queryByRole('button', { name: 'Select' })).toBeNull();
    expect(region()).toHaveTextContent('Select');
    expect(region()).toHaveTextContent("Your answer was sent as the agent's next prompt.");
  });

  it('is drawn with its result in its place', () => {
    const output = { state: 'shown', at: 1, result: text('3 left') } as Json;
    draw(display('showProductCard', product, 'completed', { ...open, output }));
    expect(region().textContent?.match(/3 left/g)).toHaveLength(1);
  });

  it('is a table of the main list of its result', async () => {
    const drawn = { render: { as: 'table', title: 'Found for {{name}}' } };
    const structuredContent = { items: [{ name: 'one', price: 2 }] };
    draw(display('find', product, 'completed', { ...ran({ content: [], structuredContent }), drawn }));
    expect(await screen.findByRole('columnheader', { name: /Price/ })).toBeInTheDocument();
    expect(screen.getByRole('region', { name: 'Table: Found for MacBook Pro' })).toHaveTextContent('one');
  });

  it('is drawn while the model writes what it is called with', () => {
    const call = {
      ...written('showProductCard', '{"name":"MacBook', ' Pro","pri'),
      drawn: { render } as Json,
    };
    draw(call);
    expect(region()).toHaveTextContent('MacBook Pro');
    expect(region()).toHaveAttribute('aria-busy', 'true');
  });
});

it('who asks from where is told while it waits, with a way there', () => {
  const from = { spaceId: 's9', spaceName: 'Shop', agent: 'Planner', messageId: 'm9' };
  draw(display('showApprovalForm', { title: 'x' }, 'waiting', { drawn: { from }, requests: [] }));
  expect(region()).toHaveTextContent('Asked by Planner in Shop');
});
