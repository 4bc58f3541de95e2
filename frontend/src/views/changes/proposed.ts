const mostLetters = 72;

/** Proposes a commit message from a prompt: its first sentence, in at most 72 characters. */
export function proposedMessage(prompt: string): string {
  const line = prompt
    .split('\n')
    .map((one) => one.replace(/^[\s#>*-]+/, '').trim())
    .find((one) => /\p{L}/u.test(one));
  if (line === undefined) return '';
  const plain = line
    .replace(/[`*_]{1,3}/g, '')
    .replace(/^(please|pls|can you|could you|would you)[,\s]+/i, '')
    .replace(/\s+/g, ' ');
  const sentence = /^.*?[.!?:](?=\s|$)/u.exec(plain)?.[0] ?? plain;
  const subject = sentence.replace(/[.!?:,;\s]+$/u, '').replace(/,?\s+please$/i, '');
  return shortened(subject.slice(0, 1).toUpperCase() + subject.slice(1));
}

function shortened(subject: string): string {
  if (subject.length <= mostLetters) return subject;
  const cut = subject.slice(0, mostLetters + 1);
  const space = cut.lastIndexOf(' ');
  // Don't end with half of a surrogate pair.
  return space > mostLetters / 2 ? cut.slice(0, space) : [...cut].slice(0, -1).join('').slice(0, mostLetters);
}
