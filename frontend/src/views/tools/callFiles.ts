import type { ToolCall } from '../../transcript/model';
import { pathFrom } from '../parts/paths';
import { absolute, namedIn } from '../places/place';

// A call mentions its file once: in its title, if that names it.

/** Names under which agents send the path of a call's file. */
const names = ['file_path', 'filePath', 'filepath', 'path', 'absolute_path', 'abs_path', 'file'];

type Place = { path: string; line?: number | undefined };

/** The files that a call reports. */
export function filesOf({ locations = [], place, content = [] }: ToolCall): Place[] {
  const shown = content.map(({ path = '', line }) => ({ path, line }));
  return [...locations, ...(place === undefined ? [] : [place]), ...shown].filter(({ path }) => path !== '');
}

/** The single file that a call reads or changes; empty if there are none or several. */
export function fileOf(call: ToolCall): string {
  const [first, ...more] = filesOf(call);
  if (first !== undefined) return more.every(({ path }) => path === first.path) ? first.path : '';
  const { input } = call;
  if (input === undefined || input === null || typeof input !== 'object' || Array.isArray(input)) return '';
  const path = names.map((name) => input[name]).find((value) => typeof value === 'string');
  return typeof path === 'string' ? path : '';
}

/** The spellings of a path in titles: absolute, or relative to the space's folder. */
const waysOf = (path: string, folder: string) => [path, pathFrom(absolute(path, folder), folder, '')];

/** Reports whether a title already mentions a value of a call: a path, or the space's folder. */
export function titleNames(title: string, value: string, folder: string): boolean {
  if (value === '.' || (folder !== '' && absolute(value, folder).replace(/\/$/, '') === folder)) return true;
  return value.length > 2 && !value.includes('\n') && namedIn(title, waysOf(value, folder)) !== null;
}

/** The relative path of a title that consists only of a path; null otherwise. */
export function titlePath(call: ToolCall, title: string, folder: string): string | null {
  const path = fileOf(call);
  if (path === '') return null;
  const ways = waysOf(path, folder);
  const found = namedIn(title, ways);
  if (found === null || found.from > 0 || found.to < title.length) return null;
  return pathFrom(absolute(title, folder), folder, '');
}
