/** The type of a column's values. */
export type Kind = 'text' | 'number' | 'date' | 'money' | 'boolean';
export const kinds: readonly Kind[] = ['text', 'number', 'date', 'money', 'boolean'];

/** A column of a table. */
export interface Column {
  /** Key in a row that is an object. */
  readonly key: string;
  /** Index in a row that is an array. */
  readonly index: number;
  readonly label: string;
  readonly kind: Kind;
  /** The type was specified, not guessed, so values are formatted accordingly. */
  readonly given: boolean;
  readonly align: 'start' | 'center' | 'end';
  /** In characters. */
  readonly width: number;
  /** Currency of money values, if specified. */
  readonly currency: string | undefined;
}
