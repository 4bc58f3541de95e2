/** What the values of a column are. */
export type Kind = 'text' | 'number' | 'date' | 'money' | 'boolean';
export const kinds: readonly Kind[] = ['text', 'number', 'date', 'money', 'boolean'];

/** A column of a table, as it is drawn. */
export interface Column {
  /** The key in a row that is an object. */
  readonly key: string;
  /** The place in a row that is an array. */
  readonly index: number;
  readonly label: string;
  readonly kind: Kind;
  /** The kind was given and not guessed: then values are written in its way. */
  readonly given: boolean;
  readonly align: 'start' | 'center' | 'end';
  /** In characters. */
  readonly width: number;
  /** Of money, where it is told. */
  readonly currency: string | undefined;
}
