import type { Answer, FileView } from '../../transport/api';
import { CommandError } from '../../transport/transport';
import { FileContent } from '../../views/places/FileContent';
import type { Answers } from '../backend';
import { pictureData } from '../blobs';
import { minute, now } from '../clock';
import { space } from '../data/spaces';
import { diff } from '../data/work';
import { Specimen } from '../Specimen';
import { Stage } from '../Stage';

/** A file of a space, as the backend returns it. */
export const fileView = (change: Partial<FileView> = {}): FileView => ({
  ...{ text: diff.text, from: 1, lines: 7, total: 7, size: diff.text.length, changedAt: now - minute },
  ...{ binary: false, image: '', more: false, ...change },
});

export const picture: Answer<'ReadSpaceImage'> = {
  type: 'image/png',
  data: pictureData.slice(pictureData.indexOf(',') + 1),
};

interface State {
  of: string;
  path?: string;
  line?: number;
  answers: Answers;
}

const failed = (code: string, message: string) => ({ ReadSpaceFile: new CommandError(code, message) });

const states: readonly State[] = [
  { of: 'A file at a line', line: 2, answers: { ReadSpaceFile: fileView() } },
  {
    ...{ of: 'A part of a large file', line: 4003 },
    answers: { ReadSpaceFile: fileView({ from: 4001, total: 120_400, size: 4_812_300, more: true }) },
  },
  {
    ...{ of: 'A picture', path: 'baskets.png' },
    answers: {
      ReadSpaceFile: fileView({ text: '', binary: true, image: 'image/png', size: 48_213 }),
      ReadSpaceImage: picture,
    },
  },
  {
    ...{ of: 'A picture that is none', path: 'baskets.png' },
    answers: {
      ReadSpaceFile: fileView({ text: '', binary: true, image: 'image/png', size: 48_213 }),
      ReadSpaceImage: new CommandError('not_image', 'baskets.png is not a PNG image.'),
    },
  },
  {
    ...{ of: 'A binary file', path: 'orchard.zip' },
    answers: { ReadSpaceFile: fileView({ text: '', binary: true, size: 1_204_000 }) },
  },
  {
    ...{ of: 'An empty file', path: 'none.txt' },
    answers: { ReadSpaceFile: fileView({ text: '', size: 0, lines: 0, total: 0 }) },
  },
  { of: 'No such file', path: 'gone.js', answers: failed('not_found', 'gone.js was not found.') },
  {
    ...{ of: 'A file outside of the folder', path: '/etc/hosts' },
    answers: failed('outside', '/etc/hosts is outside of the folder.'),
  },
  { of: 'A folder', path: 'src', answers: failed('is_directory', 'src is a folder.') },
  {
    ...{ of: 'A file that can’t be read', path: 'key.pem' },
    answers: failed('denied', 'You may not read key.pem.'),
  },
];

/** File previews. */
export function Files() {
  return states.map(({ of, path = 'src/apples.js', line = 0, answers }) => (
    <Specimen key={of} of={of} wide>
      <Stage scene={{ spaces: [space('files', 'Files')], answers }}>
        <div className="gallery-file">
          <FileContent preview={{ spaceId: 'files', path, line, column: 0, n: 1, back: null }} name={path} />
        </div>
      </Stage>
    </Specimen>
  ));
}
