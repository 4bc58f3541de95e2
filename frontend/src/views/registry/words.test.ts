import { describe, expect, it } from 'vitest';
import type { Install, RegistryAgent } from '../../transport/api';
import { isWanted, progressWords, sourceName, visibleLineBreaks } from './words';

const install: Install = {
  id: 'robin',
  name: 'Robin',
  version: '1.0.0',
  update: false,
  state: 'running',
  step: '',
  done: 0,
  total: 0,
  line: '',
  startedAt: 0,
  sha256: '',
  vouched: false,
  agentId: '',
  failure: null,
  question: null,
};

describe('the words of the registry', () => {
  it('tell how far an installation is, as far as anybody knows', () => {
    const words = (change: Partial<Install>) =>
      progressWords({ ...install, ...change }).replace(/\u202f/g, ' ');
    expect(words({})).toBe('Starting');
    expect(words({ step: 'download' })).toBe('Downloading');
    expect(words({ step: 'download', done: 2048 })).toBe('Downloading · 2.0 KB');
    expect(words({ step: 'download', done: 2048, total: 4096 })).toBe('Downloading · 2.0 KB of 4.0 KB');
    expect(words({ step: 'unpack', done: 512 })).toBe('Unpacking · 512 B');
    expect(words({ step: 'packages', done: 1 })).toBe('Fetching packages · 1 file');
    expect(words({ step: 'packages', done: 12 })).toBe('Fetching packages · 12 files');
  });

  it('name a source by what tells it from others', () => {
    expect(sourceName('https://cdn.example.com/registry/v1/registry.json')).toBe('cdn.example.com');
    expect(sourceName('http://127.0.0.1:8080/r.json')).toBe('127.0.0.1:8080');
    expect(sourceName('file:///home/me/my%20list.json')).toBe('/home/me/my list.json');
    expect(sourceName('shipped')).toBe('shipped');
  });

  it('show what would hide in a command line', () => {
    expect(visibleLineBreaks('a\nb\u202e')).toBe('a\\nb\\u{202e}');
  });

  it('find an agent by any of its words', () => {
    const agent = {
      id: 'gemini',
      name: 'Gemini CLI',
      description: 'A terminal agent',
      authors: ['Google'],
    } as RegistryAgent;
    expect(isWanted(agent, '')).toBe(true);
    expect(isWanted(agent, 'goog TERM')).toBe(true);
    expect(isWanted(agent, 'goog other')).toBe(false);
  });
});
