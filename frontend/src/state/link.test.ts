import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { addressTo, isLink, linkTo, readAddress, readLink } from './link';

const { places, bad } = JSON.parse(readFileSync('../backend/base/link/testdata/links.json', 'utf8')) as {
  places: { link: string; place: { spaceId: string; messageId: string; segment: number; item: number } }[];
  bad: string[];
};

it('reads and writes links as the backend does', () => {
  for (const { link, place } of places) {
    const { spaceId, ...at } = place;
    const inside = at.messageId === '' ? null : at;
    expect(linkTo(spaceId, inside)).toBe(link);
    expect(readLink(link)).toEqual({ spaceId, place: inside });
    expect(readAddress(addressTo(spaceId, inside))).toEqual({ spaceId, place: inside });
  }
  for (const link of bad) expect(readLink(link), link).toBeNull();
});

it('reads links as desktops pass them on', () => {
  const want = { spaceId: 'ab', place: { messageId: 'm', segment: 1, item: 2 } };
  for (const link of [' weft://space/ab#m.1.2\n', 'WEFT://Space/ab#m.1.2', 'weft://space/ab/#m.1.2'])
    expect(readLink(link)).toEqual(want);
  expect(isLink('Weft:x')).toBe(true);
  expect(isLink('https://weft:')).toBe(false);
});

it('leaves addresses of something else alone', () => {
  for (const hash of ['', '#', '#settings/mcp', '#token=a', '#/space/', '#/space/a/b/c', '#/space/a/b.x'])
    expect(readAddress(hash), hash).toBeNull();
});
