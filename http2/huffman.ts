/** The Huffman code of HPACK (RFC 7541, appendix B), for reading. */

/** How many bits the code of each byte has, in base 36; the last is that of the end of the string. Codes of one length follow each other. */
const lengths =
  'dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6cad67777777777777777777777878djde6' +
  'f56565666577666567655677777fbedskmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmn' +
  'qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrqu';

const longest = 30;
const endOfString = 256;

interface Lengths {
  /** By length: the first code, and where its symbol stands in `symbols`. */
  readonly first: readonly number[];
  readonly at: readonly number[];
  readonly count: readonly number[];
  readonly symbols: readonly number[];
}

function readLengths(): Lengths {
  const symbols: number[] = [];
  const first: number[] = [];
  const at: number[] = [];
  const count: number[] = [];
  let code = 0;
  for (let length = 0; length <= longest; length++) {
    const digit = length.toString(36);
    const here = [...lengths].flatMap((char, symbol) => (char === digit ? [symbol] : []));
    code *= 2;
    first.push(code);
    at.push(symbols.length);
    count.push(here.length);
    symbols.push(...here);
    code += here.length;
  }
  return { first, at, count, symbols };
}

let table: Lengths | undefined;

/** Throws when it is no such string. */
export function readHuffman(bytes: Uint8Array): string {
  const { first, at, count, symbols } = (table ??= readLengths());
  const read: number[] = [];
  let code = 0;
  let length = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      code = code * 2 + ((byte >> bit) & 1);
      length++;
      const offset = code - (first[length] ?? Infinity);
      if (offset < 0 || offset >= (count[length] ?? 0)) continue;
      const symbol = symbols[(at[length] ?? 0) + offset] ?? endOfString;
      if (symbol === endOfString) throw new Error('HPACK: the end of a string inside of it');
      read.push(symbol);
      code = length = 0;
    }
  }
  // What is left fills up the last byte, with ones.
  if (length > 7 || code !== 2 ** length - 1) throw new Error('HPACK: a string is cut off');
  return Buffer.from(read).toString('latin1');
}
