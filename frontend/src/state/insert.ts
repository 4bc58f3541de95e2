// Lets other views insert text into the visible composer.

type Insert = (text: string) => void;

let current: Insert | null = null;

/** Registers the receiver of insertions until the returned function is called. */
export function takeInserts(insert: Insert): () => void {
  current = insert;
  return () => {
    if (current === insert) current = null;
  };
}

export function insertIntoComposer(text: string): void {
  current?.(text);
}
