/** The Huffman code of HPACK (RFC 7541, appendix B), for reading. */
import { errorCodes, Http2Error } from './error.js';

/** How many bits the code of each byte has, in base 36; the last is that of the end of the string. Codes of one length follow each other. */
const lengths =
  'dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6cad67777777777777777777777878djde6' +
  'f56565666577666567655677777fbedskmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmn' +
  'qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrqu';

const longest = 30;
const endOfString = 256;

/**
 * The code as a machine that is fed four bits at a time: no code is shorter than five, so each step completes one byte at most. By 16 times the
 * state plus the bits: in the lower byte the next state, above it what was completed, if `completes` is set. The states are the inner nodes of the tree of
 * codes, of which there is one less than leaves; 0 is the root.
 */
type Machine = Uint32Array;
const completes = 1 << 20;
const breaks = 1 << 21;

/** The tree as pairs of children: an inner node by its number, a leaf by the complement of its symbol. */
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
  /** States in which a string may end: nothing was begun, or up to seven ones. */
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
/** No code is shorter than five bits. */
const mostOf = (bytes: number): number => Math.ceil((bytes * 8) / 5);
const defaultBytes = 2048;
const scratch = Buffer.alloc(mostOf(defaultBytes));

/** hot: what stands in `bytes` from `start` to `end`. Throws when it is no such string. */
export function readHuffman(bytes: Uint8Array, start: number, end: number): string {
  const { machine, ends } = (decoder ??= createDecoder());
  const read = end - start <= defaultBytes ? scratch : Buffer.allocUnsafe(mostOf(end - start));
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
  // What is left fills up the last byte, with ones.
  if (!ends.has(state)) throw new Http2Error(errorCodes.compression, 'HPACK: a string is cut off');
  return read.toString('latin1', 0, length);
}
