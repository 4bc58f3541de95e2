import { t } from '../../i18n';
import type { Mark } from '../../state/shown';
import type { ChosenMessage, SearchHit, SnippetPiece } from '../../transport/api';
import { oneLine } from '../parts/clean';

/** Describes a result. */
export function kindOf({ kind, title, author }: SearchHit): string {
  switch (kind) {
    case 'prompt':
      return t('search.kind.prompt');
    case 'answer':
      return oneLine(author ?? '') || t('search.kind.answer');
    case 'call':
    case 'display':
      return oneLine(title ?? '') || t(`search.kind.${kind}`);
    case 'thought':
    case 'note':
      return t(`search.kind.${kind}`);
  }
}

/** The first match of a snippet, in the form in which the transcript finds it again. */
export function markOf(pieces: readonly SnippetPiece[]): Mark | null {
  const at = pieces.findIndex(({ hit }) => hit === true);
  const query = pieces[at]?.text;
  if (query === undefined) return null;
  const joined = (some: readonly SnippetPiece[]) =>
    some
      .map(({ text }) => text)
      .join('')
      .replaceAll('…', '');
  return {
    query,
    before: joined(pieces.slice(0, at)).slice(-80),
    after: joined(pieces.slice(at + 1)).slice(0, 80),
  };
}

/** The messages of results, each once, in the order of the results. */
export function messagesOf(hits: readonly SearchHit[]): ChosenMessage[] {
  const seen = new Map(
    hits.map(({ spaceId, messageId }) => [`${spaceId}/${messageId}`, { spaceId, messageId }]),
  );
  return [...seen.values()];
}
