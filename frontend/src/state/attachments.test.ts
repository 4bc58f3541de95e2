// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Attachments, most, unsupportedPart } from './attachments';

const words = {
  tooLarge: (name: string) => `${name} large`,
  imageTooLarge: (name: string) => `${name} large image`,
  totalTooLarge: () => 'too much',
  empty: (name: string) => `${name} empty`,
  folder: (name: string) => `${name} folder`,
  notSmaller: (name: string) => `${name} not smaller`,
};

/** A file that claims a size but contains as little as possible. */
function file(name: string, size: number, type = ''): File {
  const made = new File(size === 0 ? [] : ['x'], name, { type });
  Object.defineProperty(made, 'size', { value: size });
  Object.defineProperty(made, 'arrayBuffer', { value: async () => new ArrayBuffer(8) });
  return made;
}

const answer = (body: object, status = 200) =>
  vi.fn(async () => new Response(JSON.stringify(body), { status }));
const stored = { hash: 'h', size: 8, mimeType: 'text/plain', kind: 'text', name: 'a.txt', path: '' };

beforeEach(() => {
  vi.stubGlobal('fetch', answer(stored));
  URL.createObjectURL = vi.fn(() => 'blob:x');
  URL.revokeObjectURL = vi.fn();
});
afterEach(() => vi.unstubAllGlobals());

const list = (attachments: Attachments) =>
  attachments.store.get().list.map(({ name, status, problem }) => `${name} ${status} ${problem}`.trim());

test('files are handed in, and what lies in the folder is mentioned', async () => {
  const attachments = new Attachments('s', words);
  attachments.add([file('a.txt', 8)]);
  expect(list(attachments)).toEqual(['a.txt uploading']);
  await attachments.settled();
  expect(attachments.store.get().list[0]?.part).toEqual({ hash: 'h', name: 'a.txt' });
  vi.stubGlobal('fetch', answer({ ...stored, hash: '', path: 'docs/b.txt' }));
  attachments.add([file('b.txt', 8)]);
  await attachments.settled();
  expect(attachments.store.get().list[1]).toMatchObject({ name: 'docs/b.txt', part: { path: 'docs/b.txt' } });
  expect(vi.mocked(fetch).mock.calls[0]?.[0]).toBe('/api/spaces/s/uploads?name=b.txt');
});

test('sizes are told before anything is sent', () => {
  const attachments = new Attachments('s', words);
  attachments.add([
    file('void', 0),
    file('huge.bin', most.total + 1),
    file('huge.png', most.image + 1, 'image/png'),
    file('a.png', most.image, 'image/png'),
    file('b.png', most.image, 'image/png'),
    file('c.txt', 1),
  ]);
  expect(list(attachments)).toEqual([
    'void failed void empty',
    'huge.bin failed huge.bin large',
    'huge.png large huge.png large image',
    'a.png uploading',
    'b.png uploading',
    'c.txt failed too much',
  ]);
});

test('there is room for so many, and the rest is counted', () => {
  const attachments = new Attachments('s', words);
  const many = Array.from({ length: 200 }, (_, i) => file(`${i}`, 8));
  expect(attachments.add(many)).toBe(200 - most.parts);
  expect(attachments.add(many)).toBe(200);
  expect(attachments.store.get().list).toHaveLength(most.parts);
});

test('a refusal is kept with its sentence, and what did not arrive whole is no attachment', async () => {
  const attachments = new Attachments('s', words);
  vi.stubGlobal('fetch', answer({ code: 'not_image', message: 'a.png is not an image.' }, 400));
  attachments.add([file('a.png', 8, 'image/png')]);
  await attachments.settled();
  vi.stubGlobal('fetch', answer({ ...stored, size: 0 }));
  attachments.add([file('b.txt', 8)]);
  await attachments.settled();
  expect(list(attachments)).toEqual([
    'a.png failed a.png is not an image.',
    'b.txt failed b.txt is incomplete. Attach it again.',
  ]);
  expect(URL.revokeObjectURL).toHaveBeenCalledWith('blob:x');
});

test('what the agent does not take', async () => {
  const attachments = new Attachments('s', words);
  attachments.add([file('a.png', 8, 'image/png')]);
  attachments.addPath('src/');
  const [image, path] = attachments.store.get().list;
  if (image === undefined || path === undefined) throw new Error('nothing was attached');
  expect(unsupportedPart(image, null)).toBeNull();
  expect(unsupportedPart(image, { image: true })).toBeNull();
  expect(unsupportedPart(image, {})).toBe('image');
  expect(unsupportedPart({ ...image, kind: 'audio' }, { image: true })).toBe('audio');
  expect(unsupportedPart({ ...image, kind: 'text', status: 'ready' }, {})).toBe('text');
  expect(unsupportedPart(path, {})).toBeNull();
});

test('a draft has what was attached, and not what cannot be sent', async () => {
  const attachments = new Attachments('s', words);
  attachments.add([file('a.png', 8, 'image/png'), file('void', 0)]);
  await attachments.settled();
  attachments.addPath('src/');
  const parts = attachments.parts();
  expect(parts).toEqual([
    { hash: 'h', name: 'a.png', size: 8, kind: 'text' },
    { path: 'src/', name: 'src/', size: 0, kind: 'text' },
  ]);
  const again = new Attachments('s', words);
  again.putParts([{ hash: 'h', name: 'a.png', size: 8, kind: 'image' }, ...parts.slice(1)]);
  expect(list(again)).toEqual(['a.png ready', 'src/ ready']);
  expect(again.store.get().list[0]).toMatchObject({ preview: '/blob/h', part: { hash: 'h', name: 'a.png' } });
  // State saved by another window replaces what was saved here, and leaves the rest.
  const before = attachments.store.get().list;
  attachments.putParts(parts);
  expect(attachments.store.get().list).toBe(before);
  attachments.putParts(parts.slice(1));
  expect(list(attachments)).toEqual(['src/ ready', 'void failed void empty']);
  attachments.take();
  expect(attachments.parts()).toEqual([]);
});
