import { describe, expect, it } from 'vitest';
import { wholeSpace } from '../../commands/exports';
import { nameOf } from '../../transport/exports';
import { rangeOf } from './range';
import { selectedMessages } from './selected';

describe('what is exported', () => {
  it('is everything unless something else is chosen', () => {
    expect(wholeSpace('s', { thoughts: false })).toEqual({
      ...{ format: 'md', spaceId: 's', from: '', to: '', branches: false, thoughts: false, places: [] },
    });
  });

  it('is a range around the message, or between the first and the last', () => {
    const at = { messageId: 'm2', lastId: 'm5' };
    expect(rangeOf('all', at)).toEqual({ from: '', to: '' });
    expect(rangeOf('one', at)).toEqual({ from: 'm2', to: 'm2' });
    expect(rangeOf('from', at)).toEqual({ from: 'm2', to: '' });
    expect(rangeOf('to', at)).toEqual({ from: '', to: 'm2' });
    expect(rangeOf('chosen', at)).toEqual({ from: 'm2', to: 'm5' });
  });
});

describe('the name of a download', () => {
  it('is that of the header, in any script', () => {
    expect(nameOf('attachment; filename="Pears.md"')).toBe('Pears.md');
    expect(nameOf('attachment; filename="P_ches.md"; filename*=utf-8\'\'P%C3%AAches.md')).toBe('Pêches.md');
    expect(nameOf('attachment; filename="a.md"; filename*=utf-8\'\'%E0%A4%A')).toBe('a.md');
    expect(nameOf('')).toBe('conversation');
  });
});

describe('the messages of a selection', () => {
  const selection = (from: Node, to: Node, isCollapsed = false) => {
    const range = document.createRange();
    range.setStart(from, 0);
    range.setEnd(to, 0);
    return { isCollapsed, rangeCount: 1, getRangeAt: () => range };
  };
  const page = document.createElement('div');
  page.innerHTML =
    '<p>outside</p><div data-message="m1"><p>one</p></div><div data-message="m2"><p>two <b>three</b></p></div>';
  const [outside, one, two, three] = ['p', '[data-message=m1] p', '[data-message=m2] p', 'b'].map(
    (selector) => page.querySelector(selector)?.firstChild as Node,
  ) as [Node, Node, Node, Node];

  it('are the first and the last', () => {
    expect(selectedMessages(selection(one, three))).toEqual({ messageId: 'm1', lastId: 'm2' });
    expect(selectedMessages(selection(two, three))).toEqual({ messageId: 'm2', lastId: '' });
  });

  it('are none where nothing, or something else, is selected', () => {
    const none = { messageId: '', lastId: '' };
    expect(selectedMessages(null)).toEqual(none);
    expect(selectedMessages(selection(one, one, true))).toEqual(none);
    expect(selectedMessages(selection(outside, two))).toEqual(none);
  });
});
