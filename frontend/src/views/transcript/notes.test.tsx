import { afterEach, expect, test } from 'vitest';
import { setLanguage } from '../../i18n';
import calls from '../../i18n/backend/calls.json';
import de from '../../i18n/backend/de.json';
import { setTemplates } from '../../i18n/said';
import { GrowingText } from '../../transcript/text';
import { textShown, translatedEach } from './notes';

const unsent = 'The text above was written, but not sent.';
const again = 'Your previous prompt was sent again with this one.';

afterEach(() => setLanguage('en'));

test('each of several notes in a row is in the language of the window', () => {
  setTemplates(de, calls);
  expect(translatedEach(`${unsent}\n\nA line of nobody.\n\n${again}`)).toBe(
    `${de[unsent]}\n\nA line of nobody.\n\n${de[again]}`,
  );
});

test('a note that is several paragraphs itself is one sentence', () => {
  setTemplates(de, calls);
  expect(translatedEach("Weft couldn't handle something that the agent sent: a\n\nb")).toBe(
    'Weft konnte etwas nicht verarbeiten, das der Agent gesendet hat: a\n\nb',
  );
});

test('only notes of Weft are translated, and stay what they are while nothing is added', async () => {
  const text = new GrowingText(unsent);
  expect(textShown({ author: 'app', text })).toBe(text);
  await setLanguage('de');
  expect(textShown({ author: '', text })).toBe(text);
  expect(textShown({ author: 'user', text })).toBe(text);
  const first = textShown({ author: 'app', text });
  expect(first.toString()).toBe(de[unsent]);
  expect(textShown({ author: 'app', text })).toBe(first);
  text.append(`\n\n${again}`);
  expect(textShown({ author: 'app', text }).toString()).toBe(`${de[unsent]}\n\n${de[again]}`);
  await setLanguage('en');
  expect(textShown({ author: 'app', text })).toBe(text);
});
