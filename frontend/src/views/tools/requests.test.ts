// @vitest-environment jsdom
import { afterEach, expect, it, vi } from 'vitest';
import { answerByKey, answerKeyOf, focusRequest, registerRequest } from './requests';

let forget = () => {};
afterEach(() => {
  forget();
  document.body.replaceChildren();
});

/** A card that isn't visible yet, as one that just came. */
function coming(): HTMLElement {
  const card = document.createElement('section');
  card.tabIndex = -1;
  card.style.visibility = 'hidden';
  // Unlike browsers, jsdom focuses what is hidden.
  const { focus } = card;
  card.focus = () => {
    if (card.style.visibility !== 'hidden') focus.call(card);
  };
  card.scrollIntoView = () => {};
  document.body.append(card);
  forget = registerRequest({ element: card, ids: ['one'] });
  return card;
}

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

it('focuses a card as soon as it is visible', async () => {
  const card = coming();
  expect(focusRequest()).toBe(true);
  await frame();
  card.style.visibility = 'visible';
  await vi.waitFor(() => expect(document.activeElement).toBe(card));
});

it('does not focus a card where the user went on', async () => {
  const card = coming();
  focusRequest();
  window.dispatchEvent(new KeyboardEvent('keydown', { key: 'a' }));
  card.style.visibility = 'visible';
  await frame();
  await frame();
  expect(document.activeElement).not.toBe(card);
});

it('says the keys of the only request in the pane of the inbox', () => {
  const pane = document.createElement('div');
  pane.dataset['requestPane'] = '';
  const [card, field] = [document.createElement('section'), document.createElement('textarea')];
  pane.append(card);
  document.body.append(pane, field);
  forget = registerRequest({ element: card, ids: ['one'] });
  expect(answerKeyOf(card)).toBe('plain');
  field.focus();
  expect(answerKeyOf(card)).toBe('none');
  field.blur();
  const other = document.createElement('section');
  pane.append(other);
  const forgetOther = registerRequest({ element: other, ids: ['two'] });
  expect(answerKeyOf(card)).toBe('none');
  forgetOther();
});

it('takes a digit at the beginning of a prompt only for an answer to this one request', () => {
  const field = document.createElement('textarea');
  field.className = 'composer-field';
  const card = document.createElement('section');
  document.body.append(card, field);
  const chosen: number[] = [];
  const options = { count: 3, choose: (n: number) => chosen.push(n), lasts: (n: number) => n === 2 };
  forget = registerRequest({ element: card, ids: ['one'], ...options });
  const press = (key: string, altKey = false) => {
    const event = new KeyboardEvent('keydown', { key, altKey, code: `Digit${key}` });
    Object.defineProperty(event, 'target', { value: field });
    Object.defineProperty(event, 'timeStamp', { value: performance.now() + 10_000 });
    return answerByKey(event);
  };
  expect([press('2'), press('1'), press('2', true)]).toEqual([false, true, true]);
  expect(chosen).toEqual([1, 2]);
});
