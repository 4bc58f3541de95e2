// The one way for other views to put something into the composer that is shown.

type Insert = (text: string) => void;

let current: Insert | null = null;

/** Takes what is inserted until the returned function is called. */
export function takeInserts(insert: Insert): () => void {
  current = insert;
  return () => {
    if (current === insert) current = null;
  };
}

export function insertIntoComposer(text: string): void {
  current?.(text);
}
