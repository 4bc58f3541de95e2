/**
 * Streaming markdown: untrusted text from agents, shown while it is still being written.
 *
 * A `MarkdownDocument` takes deltas and returns groups of blocks; `MarkdownGroupView` renders one group, `MarkdownView`
 * a whole document, `Markdown` a text. A document guarantees that the finished rendering equals that of the whole text
 * at once, that the work per frame does not grow with the length of the text, and that a finished block is never parsed
 * again. Rendered text never runs script, loads anything automatically, or navigates.
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
export { handleCopy, structureOf, structureText } from './selection';
