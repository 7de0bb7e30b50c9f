/**
 * Whether a pattern is found in a text, at some nanoseconds a character whatever the pattern is: states of the automaton are sets of
 * places in the pattern, made when they are first reached.
 */
import { type Node, type Ranges, lastCodePoint, parseRegexp } from './regexp-syntax.js';

/** A place in a pattern, and where it goes on. `set`: after a character of the set. */
type Place =
  | { readonly type: 'set'; readonly ranges: Ranges; readonly next: number }
  | { readonly type: 'begin' | 'end'; readonly next: number }
  | { readonly type: 'split'; next: number[] }
  | { readonly type: 'found' };

/** Patterns that repeat much become long. */
const mostPlaces = 1500;
/** What a pattern may keep; beyond that it starts anew, and gives up when that happens often. */
const mostStates = 512;
const mostStarts = 8;

class TooLong extends Error {}

/** Places from the end to the beginning; the index of the first one. */
function placesOf(root: Node): { readonly places: readonly Place[]; readonly start: number } {
  const places: Place[] = [];
  const add = (place: Place): number => {
    if (places.length >= mostPlaces) throw new TooLong();
    return places.push(place) - 1;
  };
  function build(node: Node, next: number): number {
    switch (node.type) {
      case 'set':
        return add({ type: 'set', ranges: node.ranges, next });
      case 'begin':
      case 'end':
        return add({ type: node.type, next });
      case 'all':
        return node.parts.reduceRight((after, part) => build(part, after), next);
      case 'any':
        return add({ type: 'split', next: node.parts.map(part => build(part, next)) });
      case 'repeat':
        return buildRepeat(node, next);
    }
  }
  function buildRepeat({ part, min, max }: Extract<Node, { type: 'repeat' }>, next: number): number {
    let first = next;
    if (max === Infinity) {
      const loop: Extract<Place, { type: 'split' }> = { type: 'split', next: [next] };
      first = add(loop);
      loop.next.push(build(part, first));
    } else for (let i = min; i < max; i++) first = add({ type: 'split', next: [next, build(part, first)] });
    for (let i = 0; i < min; i++) first = build(part, first);
    return first;
  }
  const found = add({ type: 'found' });
  return { places, start: build(root, found) };
}

/** Characters that no set tells apart are one letter. */
interface Alphabet {
  readonly size: number;
  /** By code, as far as it goes. */
  readonly near: Uint16Array;
  letterOf(code: number): number;
  /** A character of each. */
  readonly samples: readonly number[];
}

const nearCodes = 256;

function alphabetOf(places: readonly Place[]): Alphabet {
  const edges = new Set([0]);
  for (const place of places) {
    if (place.type !== 'set') continue;
    for (const [from, to] of place.ranges) {
      edges.add(from);
      if (to < lastCodePoint) edges.add(to + 1);
    }
  }
  const samples = [...edges].sort((a, b) => a - b);
  const letterOf = (code: number): number => {
    let [low, high] = [0, samples.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((samples[middle] ?? 0) <= code) low = middle;
      else high = middle;
    }
    return low;
  };
  return {
    size: samples.length,
    near: Uint16Array.from({ length: nearCodes }, (_, code) => letterOf(code)),
    letterOf,
    samples,
  };
}

/** A set of places, all of them sets or ends. */
interface State {
  readonly places: readonly number[];
  /** By letter; undefined: not made yet. */
  readonly next: (State | undefined)[];
  /** The pattern is found, whatever comes. */
  readonly found: boolean;
  /** It is found if the text ends here. */
  readonly foundAtEnd: boolean;
}

const isIn = (ranges: Ranges, code: number): boolean => ranges.some(([from, to]) => code >= from && code <= to);

export interface RegexpMatcher {
  /** Undefined: the pattern is too much for this. */
  test(text: string): boolean | undefined;
}

/** Undefined: the pattern has something in it that this does not know. */
export function regexpMatcher(pattern: string): RegexpMatcher | undefined {
  const root = parseRegexp(pattern);
  if (!root) return undefined;
  try {
    return matcherOf(placesOf(root));
  } catch (error) {
    if (error instanceof TooLong) return undefined;
    throw error;
  }
}

function matcherOf({ places, start }: ReturnType<typeof placesOf>): RegexpMatcher {
  const alphabet = alphabetOf(places);
  const states = new Map<string, State>();
  let starts = 0;
  const begun: { state?: State } = {};

  /** Whatever can be reached without a character. */
  function reach(from: Iterable<number>, isBegin: boolean, isEnd: boolean): { all: Set<number>; found: boolean } {
    const all = new Set<number>();
    const open = [...from];
    let found = false;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (all.has(at)) continue;
      all.add(at);
      const place = places[at] as Place;
      if (place.type === 'found') found = true;
      else if (place.type === 'split') open.push(...place.next);
      else if ((place.type === 'begin' && isBegin) || (place.type === 'end' && isEnd)) open.push(place.next);
    }
    return { all, found };
  }

  function stateOf(from: Iterable<number>, isBegin: boolean): State {
    const { all, found } = reach(from, isBegin, false);
    const lasting = [...all]
      .filter(at => places[at]?.type === 'set' || places[at]?.type === 'end')
      .sort((a, b) => a - b);
    const key = `${isBegin ? '^' : ''}${found ? '!' : ''}${lasting.join()}`;
    let state = states.get(key);
    if (!state) {
      if (states.size >= mostStates) {
        states.clear();
        begun.state?.next.fill(undefined);
        starts++;
      }
      const foundAtEnd = found || reach(all, isBegin, true).found;
      state = { places: lasting, next: new Array<State | undefined>(alphabet.size), found, foundAtEnd };
      states.set(key, state);
    }
    return state;
  }

  /** The pattern may begin anywhere. */
  function step(state: State, letter: number): State {
    const sample = alphabet.samples[letter] ?? 0;
    const after = [start];
    for (const at of state.places) {
      const place = places[at] as Place;
      if (place.type === 'set' && isIn(place.ranges, sample)) after.push(place.next);
    }
    return (state.next[letter] = stateOf(after, false));
  }

  const begin = stateOf([start], true);
  begun.state = begin;
  const { near } = alphabet;
  return {
    // hot: once per character.
    test(text) {
      if (starts > mostStarts) return undefined;
      let state = begin;
      const before = starts;
      for (let i = 0; i < text.length; i++) {
        if (state.found) return true;
        let code = text.charCodeAt(i);
        if (code >= 0xd800 && code < 0xdc00) {
          code = text.codePointAt(i) ?? code;
          if (code > 0xffff) i++;
        }
        const letter = code < nearCodes ? (near[code] as number) : alphabet.letterOf(code);
        state = state.next[letter] ?? step(state, letter);
        if (state.places.length === 0) return state.found;
        if (starts - before > mostStarts) return undefined;
      }
      return state.found || state.foundAtEnd;
    },
  };
}
