import { afterEach, expect, test } from 'vitest';
import de from '../i18n/backend/de.json';
import { setTemplates } from '../i18n/said';
import type { Agent } from '../transport/api';
import { answerNames, isWeftAgent, translatedCommand, translatedOption } from './weftAgent';

afterEach(() => setTemplates());

const agent = (part: Partial<Agent>) => ({ source: 'custom', model: null, ...part }) as Agent;

test('the guide and agents with a model are of Weft', () => {
  expect(isWeftAgent(agent({ source: 'builtin' }))).toBe(true);
  expect(isWeftAgent(agent({ model: { provider: 'ollama' } }))).toBe(true);
  expect(isWeftAgent(agent({}))).toBe(false);
  expect(isWeftAgent(undefined)).toBe(false);
});

test('an option of Weft has its names in the language of the window, and its values as they are', () => {
  setTemplates(de);
  const choices = [
    {
      value: 'ask',
      name: 'Ask',
      description: 'Asks before it changes files, runs commands or leaves this machine',
    },
    { value: 'qwen', name: 'Qwen 3' },
  ];
  const option = translatedOption({
    id: 'mode',
    name: 'Mode',
    type: 'select',
    current: 'ask',
    choices,
    via: 'config',
  });
  expect(option.name).toBe('Modus');
  expect(option.choices?.map(({ value, name }) => [value, name])).toEqual([
    ['ask', 'Nachfragen'],
    ['qwen', 'Qwen 3'],
  ]);
  expect(option.choices?.[0]?.description).toContain('Befehle ausführt');
});

test('a command keeps what is typed', () => {
  setTemplates(de);
  expect(translatedCommand({ name: 'read', description: 'Show a file', hint: 'file' })).toEqual({
    name: 'read',
    description: 'Eine Datei anzeigen',
    hint: 'Datei',
  });
});

test('answers of Weft and of its own agent are translated, those of another agent are not', () => {
  setTemplates(de);
  const weft = [
    { optionId: 'once', name: 'Allow once' },
    { optionId: 'no', name: 'Refuse' },
  ];
  const other = [{ optionId: 'allow', name: 'Allow once' }];
  expect(answerNames(false, weft)('Allow once')).toBe('Einmal zulassen');
  expect(answerNames(false, other)('Allow once')).toBe('Allow once');
  expect(answerNames(true, other)('Allow “git status” in this session')).toBe(
    '„git status“ in dieser Sitzung zulassen',
  );
});
