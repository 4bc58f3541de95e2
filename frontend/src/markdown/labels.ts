/** The words that markdown shows by itself; the shell passes translated ones. */
export interface MarkdownLabels {
  readonly copy: string;
  readonly copied: string;
  readonly code: string;
  readonly table: string;
  readonly image: string;
  readonly load: string;
  readonly done: string;
  readonly open: string;
  readonly footnotes: string;
  readonly tooLong: string;
  readonly earlier: string;
}

export const defaultLabels: MarkdownLabels = {
  copy: 'Copy',
  copied: 'Copied',
  code: 'Code',
  table: 'Table',
  image: 'Image',
  load: 'Load',
  done: 'Done',
  open: 'To do',
  footnotes: 'Footnotes',
  tooLong: 'Shown as plain text because this part is very long.',
  earlier: 'Show earlier text',
};
