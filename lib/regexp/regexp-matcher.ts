/**
 * Whether a pattern is found in a text, at some nanoseconds a character whatever the pattern is: states of the automaton are sets of
 * places in the pattern, made when they are first reached.
 */
import type { Steps } from '../steps.js';
import { type Node, type Ranges, lastCodePoint, parseRegexp } from './regexp-syntax.js';

/** A place in a pattern, and where it goes on. `set`: after a character of the set. */
type Place =
  | { readonly type: 'set'; readonly ranges: Ranges; readonly next: number }
  | { readonly type: 'begin' | 'end'; readonly next: number }
  | { readonly type: 'split'; next: number[] }
  | { readonly type: 'found' };

/** Patterns that repeat much become long. */
const maxPlaces = 1500;
/** What a pattern may keep: states, and ways from one to another. Beyond that it starts anew, and gives up when that happens often. */
const maxStates = 512;
const minStates = 16;
const maxWays = 16_384;
const maxStarts = 8;
/** So many characters are counted as steps at a time, two of them as one step. */
const block = 4096;
/** The steps that it takes to visit a place while a state is made. */
const placeSteps = 8;

class TooLong extends Error {}

/** Places from the end to the beginning; the index of the first one. */
function placesOf(root: Node): { readonly places: readonly Place[]; readonly start: number } {
  const places: Place[] = [];
  const add = (place: Place): number => {
    if (places.length >= maxPlaces) throw new TooLong();
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

/** The outcome of a scan. `idleAt`: no match begins before this place. */
export interface Scanned {
  readonly found: boolean;
  readonly idleAt: number;
}

export interface RegexpMatcher {
  /** Whether a match begins at `from` or later; undefined where the pattern has too many states. Its steps are counted. */
  scan(text: string, from: number, steps: Steps): Scanned | undefined;
}

/** Undefined: the pattern has something in it that this does not know. */
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

/** The automaton of a pattern. It owns the states that are made so far. */
class Automaton implements RegexpMatcher {
  private readonly places: readonly Place[];
  private readonly start: number;
  private readonly alphabet: Alphabet;
  private readonly states = new Map<string, State>();
  private readonly most: number;
  private starts = 0;
  /** The states at the beginning of a text and anywhere else; undefined: not made yet. */
  private begin: State | undefined;
  private idle: State | undefined;

  constructor({ places, start }: ReturnType<typeof placesOf>) {
    this.places = places;
    this.start = start;
    this.alphabet = alphabetOf(places);
    this.most = Math.max(minStates, Math.min(maxStates, Math.floor(maxWays / this.alphabet.size)));
  }

  // hot: once per character.
  scan(text: string, from: number, steps: Steps): Scanned | undefined {
    if (this.starts > maxStarts) return undefined;
    const { alphabet } = this;
    const { near } = alphabet;
    const before = this.starts;
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
      if (this.starts - before > maxStarts) return undefined;
    }
    return { found: state.found || state.foundAtEnd, idleAt };
  }

  /** Whatever can be reached without a character. */
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
   * The state in which the pattern may be at some places. `kind`: '^' at the beginning of the text, '.' where no match has begun yet. The latter
   * is a state of its own, since a match that has begun may be at the places of the beginning.
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
    if (this.states.size >= this.most) this.forget();
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
    this.starts++;
  }

  /** The pattern may begin anywhere. */
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
