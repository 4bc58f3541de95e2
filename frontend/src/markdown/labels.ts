/** Strings shown by markdown; the shell passes translated ones. */
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
  readonly details: string;
  readonly formula: string;
  readonly formulaFailed: string;
  readonly diagram: string;
  readonly source: string;
  readonly diagramView: string;
  readonly diagramFailed: string;
  readonly diagramRefused: string;
  readonly diagramSlow: string;
  readonly diagramLine: (line: number) => string;
  readonly diagramEnd: string;
  readonly diagramError: string;
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
  details: 'Details',
  formula: 'Formula',
  formulaFailed: "This formula can't be drawn.",
  diagram: 'Diagram',
  source: 'Source',
  diagramView: 'View',
  diagramFailed: "This diagram can't be drawn.",
  diagramRefused: "Diagrams can't contain images or HTML elements.",
  diagramSlow: 'It took too long.',
  diagramLine: (line) => `Line ${line} has an error.`,
  diagramEnd: 'It ends too early.',
  diagramError: 'Its source has an error.',
};
