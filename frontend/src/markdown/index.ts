/**
 * Streaming markdown: text from agents, untrusted, shown while it is still being written.
 *
 * A `MarkdownDocument` takes deltas and gives out groups of blocks; `MarkdownGroupView` shows one group,
 * `MarkdownView` a whole document, `Markdown` a text. What a document promises: the finished rendering
 * equals that of the whole text at once; work per frame does not grow with the length of the text; a
 * finished block is never parsed again. What rendered text never does: run script, load anything by
 * itself, or navigate.
 */

export { copyText } from './copyText';
export { type DocumentOptions, type DocumentSnapshot, MarkdownDocument } from './document';
export type { MarkdownBlock, MarkdownGroup } from './groups';
export { LongPieces, LongText, type TextPiece } from './LongText';
export { defaultLabels, type MarkdownLabels } from './labels';
export {
  Markdown,
  MarkdownGroupOf,
  type MarkdownGroupOfProps,
  MarkdownGroupView,
  type MarkdownGroupViewProps,
  type MarkdownHandlers,
  type MarkdownProps,
  MarkdownView,
  type MarkdownViewProps,
  useMarkdown,
} from './Markdown';
export { MarkdownLine } from './MarkdownLine';
export { plainText } from './render';
export { copiesStructure, structureOf, structureText } from './selection';
