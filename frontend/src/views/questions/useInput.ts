import { useEffect, useState } from 'react';
import { blobText } from '../../commands/blobs';
import type { ToolCall } from '../../transcript/model';
import type { Json } from '../../transcript/types';

/** The input of a call, loaded on demand if it is large; undefined until then. */
export function useInput({ input, inputRef }: ToolCall): Json | undefined {
  const [pulled, setPulled] = useState<Json | undefined>(undefined);
  useEffect(() => {
    if (inputRef === undefined) return;
    let wanted = true;
    blobText(inputRef, 4 << 20).then(
      (text) => wanted && setPulled(JSON.parse(text) as Json),
      () => wanted && setPulled(null),
    );
    return () => {
      wanted = false;
    };
  }, [inputRef]);
  return input ?? pulled;
}
