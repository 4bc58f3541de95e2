import { useMemo } from 'react';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { ToolCall } from '../../transcript/model';
import type { Content, Permission, Reading } from '../../transcript/types';
import { useInput } from '../questions/useInput';
import { useBlobText } from '../tools/BlobText';
import { unfinishedRows } from '../tools/input';
import { useReading } from '../transcript/reading';
import { readingOf, withoutShown, withoutTarget, wordsIn } from './readingOf';
import { saidOf } from './said';

const limit = 8 << 20;

export interface Request {
  reading: Reading;
  /** File changes of the call. */
  diffs: readonly Content[];
  /** Other content of the call: images, resources, unknown content. */
  attached: readonly Content[];
  /** The agent's words, if nothing else says what would be done. */
  named: readonly string[];
  /** The agent's own sentences about it. */
  said: readonly string[];
  /** Parts of it are still loading. */
  loading: boolean;
  /** Parts of it could not be loaded. */
  failed: boolean;
}

/** What a request would do, and what the agent says about it. */
export function useRequest(call: ToolCall, request: Permission): Request {
  const { session } = useReading();
  const folder = useStore(session.store, ({ space }) => space?.folder ?? '');
  const weft = useWeft();
  const pulled = useBlobText(request.readingRef, limit);
  const pieces = useBlobText(call.contentRef, limit);
  const input = useInput(call);
  const known = request.reading ?? (pulled.text === null ? null : parsed<Reading>(pulled.text));
  const content = useMemo(
    () => call.content ?? (pieces.text === null ? [] : (parsed<Content[]>(pieces.text) ?? [])),
    [call.content, pieces.text],
  );
  const given = useMemo(() => {
    if (input !== undefined) return input;
    // It was streamed and never completed.
    if (call.inputText === undefined) return undefined;
    const text = call.inputText.toString();
    const rows = unfinishedRows(text);
    return rows === null ? text : Object.fromEntries(rows);
  }, [input, call.inputText]);
  const waits = request.readingRef !== undefined && known === null && !pulled.failed;
  const { kind, title, locations } = call;
  return useMemo(() => {
    const reading =
      known !== null && !isEmpty(known)
        ? known
        : readingOf({ kind, input: given, folder, locations: locations ?? [] });
    const diffs = content.filter(({ type }) => type === 'diff');
    const texts = content.filter(({ type }) => type === 'text');
    const inInput = wordsIn(given);
    const more = [...inInput, ...texts.flatMap(({ text }) => (text === undefined ? [] : [text]))];
    // A title created by Weft isn't one of the agent's sentences.
    const words = reading.titled === true ? more : [title, ...more];
    const paths = diffs.flatMap(({ path }) => (path === undefined ? [] : [path]));
    const isSpace = (id: string) => weft.server.get().spaces.some((space) => space.id === id);
    const other = withoutTarget(withoutShown(reading.other ?? [], inInput, diffs), isSpace);
    const attached = content.filter(
      ({ type, ref }) => type !== 'diff' && (type !== 'text' || ref !== undefined),
    );
    const named = namesNothing(reading, diffs)
      ? [reading.title ?? title, ...(other.length + attached.length === 0 ? more : [])]
      : [];
    return {
      reading: { ...reading, other },
      diffs,
      attached,
      named: named.filter((text) => text.trim() !== ''),
      said: saidOf(words, reading, [...paths, ...named, ...(named.length > 0 ? [title] : [])]),
      loading:
        waits ||
        (call.contentRef !== undefined && pieces.text === null && !pieces.failed) ||
        (known === null && call.inputRef !== undefined && input === undefined),
      failed: pieces.failed || (known === null && input === null && call.inputRef !== undefined),
    };
  }, [known, given, folder, locations, kind, title, content, waits, pieces, call, input, weft]);
}

/** Reports whether no command, file or change says what would be done. */
function namesNothing({ commands = [], files = [] }: Reading, diffs: readonly Content[]): boolean {
  return commands.length + files.length + diffs.length === 0;
}

function isEmpty({ kind: _, titled: _titled, diff, ...rest }: Reading): boolean {
  return (
    diff !== true && Object.values(rest).every((one) => one === undefined || one === '' || one === false)
  );
}

function parsed<T>(text: string): T | null {
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}
