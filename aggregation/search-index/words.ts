/** Splits text into the words of the search index. */

/** Maximum characters of a word; longer ones are found by their beginning. */
const maxWord = 64;

const separators = /[^\p{L}\p{N}]+/u;

/** Returns the words of a text in lower case: stretches of letters and digits. */
export function wordsOf(text: string): string[] {
  const words = [];
  for (const word of text.toLowerCase().split(separators)) if (word !== '') words.push(word.slice(0, maxWord));
  return words;
}
