import { describe, expect, test } from 'vitest';
import { readOutput } from './wordLinks';

describe('addresses in what an agent writes', () => {
  test.each<[string, string, string[]]>([
    ['in a sentence', 'Open https://login.example/device.', ['https://login.example/device']],
    ['in brackets', 'Sign in (https://login.example/a(b)) first', ['https://login.example/a(b)']],
    ['in quotes', `Open "https://login.example/a", then wait`, ['https://login.example/a']],
    [
      'with a code',
      'https://login.example/?user_code=AB-1&x=y#top',
      ['https://login.example/?user_code=AB-1&x=y#top'],
    ],
    ['on this machine', 'http://127.0.0.1:8080/callback', ['http://127.0.0.1:8080/callback']],
    [
      'in colors',
      '\u001b[1mOpen\u001b[0m \u001b[34mhttps://login.example/a\u001b[39m',
      ['https://login.example/a'],
    ],
    ['under another text', '\u001b]8;;https://evil.example\u0007here\u001b]8;;\u0007', []],
    [
      'several, the last one first',
      'https://a.example\nhttps://b.example\nhttps://a.example',
      ['https://a.example', 'https://b.example'],
    ],
    ['with a name that looks like a host', 'https://login.example@evil.example/', []],
    ['that hide something', 'https://login.example/\u202egpj.exe', ['https://login.example']],
    ['that run something', 'javascript:alert(1) weft://space/1 file:///etc/passwd data:text/html,x', []],
    ['that are none', 'https:// http://', []],
  ])('%s', (_, text, links) => {
    const read = readOutput(text).links.map((link) => link.replace(/(?<=example)\/$/, ''));
    expect(read).toEqual(links.map((link) => link.replace(/(?<=example)\/$/, '')));
  });

  test('only the last lines are shown, as a terminal leaves them', () => {
    const many = Array.from({ length: 50 }, (_, i) => `line ${i}`).join('\n');
    expect(readOutput(many).text.split('\n')).toHaveLength(8);
    expect(readOutput('\r\n\r\n a \r\nb\rc\n').text).toBe('a \nb\nc');
  });
});

test('whatever an agent writes, an address leads to a web page of the host that it shows', () => {
  const pieces = [
    'https://',
    'http://',
    'HTTPS://',
    'a.example',
    '/',
    '?',
    '#',
    '@',
    ':',
    '[',
    ']',
    '(',
    ')',
    '"',
    "'",
    '<',
    '>',
    '\\',
    '\u001b[1m',
    '\u001b]8;;',
    '\u0007',
    '\u202e',
    '\n',
    '\r',
    ' ',
    '.',
    '%2f',
    'ä',
    '\u0000',
    'javascript:',
    '8080',
  ];
  let seed = 7;
  const next = (n: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * n);
  };
  for (let n = 0; n < 5000; n++) {
    let text = '';
    for (let i = next(14); i >= 0; i--) text += pieces[next(pieces.length)];
    const { text: shown, links } = readOutput(text);
    expect(links.length).toBeLessThanOrEqual(3);
    for (const link of links) {
      const url = new URL(link);
      expect(['https:', 'http:'], text).toContain(url.protocol);
      expect([url.username, url.password], text).toEqual(['', '']);
      expect(shown.includes(link), text).toBe(true);
    }
  }
});
