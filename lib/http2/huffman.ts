/** The Huffman code of HPACK (RFC 7541, appendix B), for decoding. */
import { errorCodes, Http2Error } from './error.js';

/** The code length in bits of each byte, in base 36; the last one is that of EOS. Codes of one length are consecutive. */
const lengths =
  'dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6cad67777777777777777777777878djde6' +
  'f56565666577666567655677777fbedskmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmn' +
  'qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrqu';

const longest = 30;
const endOfString = 256;

/**
 * The decoder as a state machine that takes four bits at a time: no code is shorter than five bits, so each step completes at most one byte. The
 * entry at 16 times the state plus the bits has the next state in its lower byte and, if `completes` is set, the completed byte above it. The
 * states are the inner nodes of the code tree, one less than its leaves; 0 is the root.
 */
type Machine = Uint32Array;
const completes = 1 << 20;
const breaks = 1 << 21;

/** Returns the tree as pairs of children: the number of an inner node, or the complement of a leaf's symbol. */
function tree(): number[][] {
  const nodes: number[][] = [[]];
  let code = 0;
  for (let length = 0; length <= longest; length++, code *= 2) {
    const digit = length.toString(36);
    for (const [symbol, char] of [...lengths].entries()) {
      if (char !== digit) continue;
      let node = 0;
      for (let bit = length - 1; bit > 0; bit--) {
        const children = nodes[node] ?? [];
        node = children[(code >> bit) & 1] ??= nodes.push([]) - 1;
      }
      (nodes[node] ?? [])[code & 1] = ~symbol;
      code++;
    }
  }
  return nodes;
}

function step(nodes: readonly number[][], state: number, bits: number): number {
  let node = state;
  let completed = 0;
  for (let bit = 3; bit >= 0; bit--) {
    const next = nodes[node]?.[(bits >> bit) & 1] ?? 0;
    if (next >= 0) node = next;
    else if (~next === endOfString) return breaks;
    else {
      completed = completes | (~next << 8);
      node = 0;
    }
  }
  return completed | node;
}

interface Decoder {
  readonly machine: Machine;
  /** States in which a string may end: at the root, or after up to seven ones. */
  readonly ends: ReadonlySet<number>;
}

function createDecoder(): Decoder {
  const nodes = tree();
  const ends = new Set([0]);
  for (let node = 0, ones = 1; ones <= 7; ones++) ends.add((node = nodes[node]?.[1] ?? 0));
  return {
    machine: Uint32Array.from({ length: 16 * nodes.length }, (_, at) => step(nodes, at >> 4, at & 15)),
    ends,
  };
}

let decoder: Decoder | undefined;
/** Returns the largest decoded length: no code is shorter than five bits. */
const maxLengthOf = (bytes: number): number => Math.ceil((bytes * 8) / 5);
const defaultBytes = 2048;
const scratch = Buffer.alloc(maxLengthOf(defaultBytes));

/** hot: decodes `bytes` from `start` to `end`. Throws when they are no valid string. */
export function readHuffman(bytes: Uint8Array, start: number, end: number): string {
  const { machine, ends } = (decoder ??= createDecoder());
  const read = end - start <= defaultBytes ? scratch : Buffer.allocUnsafe(maxLengthOf(end - start));
  let length = 0;
  let state = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    for (let shift = 4; shift >= 0; shift -= 4) {
      const next = machine[(state << 4) | ((byte >> shift) & 15)] ?? breaks;
      if (next >= completes) {
        if (next >= breaks) throw new Http2Error(errorCodes.compression, 'HPACK: the end of a string inside of it');
        read[length++] = next >> 8;
      }
      state = next & 0xff;
    }
  }
  // The last byte is padded with ones.
  if (!ends.has(state)) throw new Http2Error(errorCodes.compression, 'HPACK: a string is cut off');
  return read.toString('latin1', 0, length);
}
