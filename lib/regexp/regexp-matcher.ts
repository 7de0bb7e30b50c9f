/**
 * Finds out whether a pattern matches a text, in a few nanoseconds a character for every pattern: a state of the automaton is a set of positions
 * in the pattern, created when it is first reached.
 */
import type { Steps } from '../steps.js';
import { type RegexpNode, type Ranges, lastCodePoint, parseRegexp } from './regexp-syntax.js';

/** A position in a pattern, and the next ones. `set`: after a character of the set. */
type Place =
  | { readonly type: 'set'; readonly ranges: Ranges; readonly next: number }
  | { readonly type: 'begin' | 'end'; readonly next: number }
  | { readonly type: 'split'; next: number[] }
  | { readonly type: 'found' };

/** Positions; patterns with many repetitions become long. */
const maxPlaces = 1500;
/** States and transitions that a pattern may keep. Beyond that it starts over, and gives up when that happens often. */
const maxStates = 512;
const minStates = 16;
const maxTransitions = 16_384;
const maxRestarts = 8;
/** Characters that are counted at a time, two of them as one step. */
const block = 4096;
/** Steps for visiting a position while a state is created. */
const placeSteps = 8;

class TooLong extends Error {}

/** Returns the positions from the end to the beginning, and the index of the first one. */
function placesOf(root: RegexpNode): { readonly places: readonly Place[]; readonly start: number } {
  const places: Place[] = [];
  const add = (place: Place): number => {
    if (places.length >= maxPlaces) throw new TooLong();
    return places.push(place) - 1;
  };
  function build(node: RegexpNode, next: number): number {
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
  function buildRepeat({ part, min, max }: Extract<RegexpNode, { type: 'repeat' }>, next: number): number {
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

/** Classes of characters that no set distinguishes. */
interface Alphabet {
  readonly size: number;
  /** The class by code, for the first codes. */
  readonly near: Uint16Array;
  letterOf(code: number): number;
  /** One character of each class. */
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

/** A set of positions, which are all sets or ends. */
interface State {
  readonly places: readonly number[];
  /** The next state by character class; undefined: not created yet. */
  readonly next: (State | undefined)[];
  /** The pattern matches, whatever follows. */
  readonly found: boolean;
  /** The pattern matches if the text ends here. */
  readonly foundAtEnd: boolean;
}

function isIn(ranges: Ranges, code: number): boolean {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const [from, to] = ranges[middle] as Ranges[number];
    if (code < from) high = middle;
    else if (code > to) low = middle + 1;
    else return true;
  }
  return false;
}

/** The result of a scan. `idleAt`: no match begins before this position. */
export interface ScanResult {
  readonly found: boolean;
  readonly idleAt: number;
}

export interface RegexpMatcher {
  /** Returns whether a match begins at or after `from`; undefined when the pattern has too many states. Counts steps. */
  scan(text: string, from: number, steps: Steps): ScanResult | undefined;
}

/** Creates a matcher; undefined when the pattern contains unsupported syntax. */
export function regexpMatcher(pattern: string): RegexpMatcher | undefined {
  const root = parseRegexp(pattern);
  if (!root) return undefined;
  try {
    return new Automaton(placesOf(root));
  } catch (error) {
    if (error instanceof TooLong) return undefined;
    throw error;
  }
}

/** The automaton of a pattern, with the states created so far. */
class Automaton implements RegexpMatcher {
  private readonly places: readonly Place[];
  private readonly start: number;
  private readonly alphabet: Alphabet;
  private readonly states = new Map<string, State>();
  private readonly stateLimit: number;
  private restarts = 0;
  /** The states at the beginning of a text, and elsewhere; undefined: not created yet. */
  private begin: State | undefined;
  private idle: State | undefined;

  constructor({ places, start }: ReturnType<typeof placesOf>) {
    this.places = places;
    this.start = start;
    this.alphabet = alphabetOf(places);
    this.stateLimit = Math.max(minStates, Math.min(maxStates, Math.floor(maxTransitions / this.alphabet.size)));
  }

  // hot: once per character.
  scan(text: string, from: number, steps: Steps): ScanResult | undefined {
    if (this.restarts > maxRestarts) return undefined;
    const { alphabet } = this;
    const { near } = alphabet;
    const before = this.restarts;
    const idle = (this.idle ??= this.stateOf([this.start], '.', steps));
    let state = from > 0 ? idle : (this.begin ??= this.stateOf([this.start], '^', steps));
    let idleAt = from;
    let due = from;
    for (let i = from; i < text.length; i++) {
      if (i >= due) {
        steps.take(Math.min(block, text.length - i + 16) >> 1);
        due = i + block;
      }
      if (state.found) return { found: true, idleAt };
      if (state === idle) idleAt = i;
      let code = text.charCodeAt(i);
      if (code >= 0xd800 && code < 0xdc00) {
        code = text.codePointAt(i) ?? code;
        if (code > 0xffff) i++;
      }
      const letter = code < nearCodes ? (near[code] as number) : alphabet.letterOf(code);
      state = state.next[letter] ?? this.step(state, letter, steps);
      if (state.places.length === 0) return { found: state.found, idleAt };
      if (this.restarts - before > maxRestarts) return undefined;
    }
    return { found: state.found || state.foundAtEnd, idleAt };
  }

  /** Returns the positions that can be reached without a character. */
  private reach(
    from: Iterable<number>,
    isBegin: boolean,
    isEnd: boolean,
  ): { readonly all: Set<number>; readonly found: boolean } {
    const all = new Set<number>();
    const open = [...from];
    let found = false;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (all.has(at)) continue;
      all.add(at);
      const place = this.places[at] as Place;
      if (place.type === 'found') found = true;
      else if (place.type === 'split') for (const next of place.next) open.push(next);
      else if ((place.type === 'begin' && isBegin) || (place.type === 'end' && isEnd)) open.push(place.next);
    }
    return { all, found };
  }

  /**
   * Returns the state of a set of positions. `kind`: '^' at the beginning of the text, '.' when no match has begun yet. The latter is a separate
   * state, since a match in progress may be at the same positions.
   */
  private stateOf(from: readonly number[], kind: '^' | '.' | '', steps: Steps): State {
    const isBegin = kind === '^';
    steps.take(placeSteps * from.length + (this.alphabet.size >> 2));
    const { all, found } = this.reach(from, isBegin, false);
    steps.take(2 * placeSteps * all.size);
    const lasting = [...all]
      .filter(at => this.places[at]?.type === 'set' || this.places[at]?.type === 'end')
      .sort((a, b) => a - b);
    const key = `${kind}${found ? '!' : ''}${lasting.join()}`;
    const known = this.states.get(key);
    if (known) return known;
    if (this.states.size >= this.stateLimit) this.forget();
    const foundAtEnd = found || this.reach(all, isBegin, true).found;
    const next = new Array<State | undefined>(this.alphabet.size);
    const state = { places: lasting, next, found, foundAtEnd };
    this.states.set(key, state);
    return state;
  }

  private forget(): void {
    this.states.clear();
    this.begin?.next.fill(undefined);
    this.idle?.next.fill(undefined);
    this.restarts++;
  }

  /** Returns the next state. A match may begin at any character. */
  private step(state: State, letter: number, steps: Steps): State {
    const sample = this.alphabet.samples[letter] ?? 0;
    const after = [this.start];
    for (const at of state.places) {
      const place = this.places[at] as Place;
      if (place.type === 'set' && isIn(place.ranges, sample)) after.push(place.next);
    }
    const next = after.length === 1 && this.idle ? this.idle : this.stateOf(after, '', steps);
    return (state.next[letter] = next);
  }
}
