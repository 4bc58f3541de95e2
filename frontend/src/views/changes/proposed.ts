const mostLetters = 72;

/** A commit message proposed from a prompt: its first sentence, as a subject of at most 72 letters. */
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
  // Half of a surrogate pair is no letter.
  return space > mostLetters / 2 ? cut.slice(0, space) : [...cut].slice(0, -1).join('').slice(0, mostLetters);
}
