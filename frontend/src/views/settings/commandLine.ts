// Splits arguments as typed by a user. No shell is involved: quotes only keep words together.

export function splitWords(text: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote = '';
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (quote !== '') {
      if (char === quote) quote = '';
      else if (char === '\\' && quote === '"' && /["\\]/.test(text.charAt(i + 1))) word += text.charAt(++i);
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (char === '\\' && /["'\\\s]/.test(text.charAt(i + 1))) {
      word = (word ?? '') + text.charAt(++i);
    } else {
      word = (word ?? '') + char;
    }
  }
  if (word !== null) words.push(word);
  return words;
}

export function joinWords(words: readonly string[]): string {
  return words
    .map((word) => (word !== '' && !/[\s"'\\]/.test(word) ? word : `"${word.replace(/["\\]/g, '\\$&')}"`))
    .join(' ');
}
