/**
 * Finds out whether a program matches a text, in a few nanoseconds a character for every pattern: a state of the automaton is a set of
 * instructions, created when it is first reached.
 */
import type { Steps } from '../steps.js';
import { type Alphabet, alphabetOf, contextAfter, edge, nearCodes, other } from './regexp-alphabet.js';
import { type Instruction, type RegexpProgram, conditionsAt, empty, op, runeBefore, takes } from './regexp-program.js';

/** Instructions, without those that only pass on; patterns with many repetitions become long. */
const maxInstructions = 1500;
/** States and transitions that a pattern may keep. Beyond that it starts over, and gives up when that happens often. */
const maxStates = 512;
const minStates = 16;
const maxTransitions = 16_384;
const maxRestarts = 8;
/** Characters that are counted at a time, two of them as one step. */
const block = 4096;
/** Steps for visiting an instruction while a state is created. */
const placeSteps = 8;

/** The conditions that are known from the text before a position. */
const knownBefore = empty.beginText | empty.beginLine;

/** A set of instructions that take a character, or wait for a condition that the next character decides. */
interface State {
  readonly places: readonly number[];
  /** The next state by character class; undefined: not created yet. */
  readonly next: (State | undefined)[];
  /** The pattern matches, whatever follows. */
  readonly found: boolean;
  /** The pattern matches if the text ends here. */
  readonly foundAtEnd: boolean;
  /** No match has begun. A separate state, since a match in progress may be at the same instructions. */
  readonly isIdle: boolean;
  /** The context: a character that stands for what is before this state. */
  readonly before: number;
  /** Whether an instruction waits for a condition other than the end of the text. */
  readonly waits: boolean;
}

/** The result of a scan. `idleAt`: no match begins before this position. */
interface ScanResult {
  readonly found: boolean;
  readonly idleAt: number;
}

/** Creates the automaton of a program; undefined when the program is too long, or has cases outside of ASCII. */
export function regexpAutomaton(program: RegexpProgram): RegexpAutomaton | undefined {
  const working = program.inst.filter(({ op: kind }) => kind !== op.capture && kind !== op.nop);
  if (working.length > maxInstructions) return undefined;
  const alphabet = alphabetOf(program);
  return alphabet && new RegexpAutomaton(program, alphabet);
}

/** The automaton of a program, with the states created so far. */
class RegexpAutomaton {
  private readonly inst: readonly Instruction[];
  private readonly start: number;
  /** The conditions that the program has. */
  private readonly conditions: number;
  private readonly alphabet: Alphabet;
  private readonly states = new Map<string, State>();
  private readonly stateLimit: number;
  private restarts = 0;
  /** The states in which no match has begun, by context. */
  private readonly idle = new Map<number, State>();
  /** The last visit of each instruction. */
  private readonly visited: Int32Array;
  private visit = 0;

  constructor({ inst, start }: RegexpProgram, alphabet: Alphabet) {
    this.inst = inst;
    this.start = start;
    this.conditions = inst.reduce((all, { op: kind, arg }) => (kind === op.empty ? all | arg : all), 0);
    this.alphabet = alphabet;
    this.stateLimit = Math.max(minStates, Math.min(maxStates, Math.floor(maxTransitions / alphabet.size)));
    this.visited = new Int32Array(inst.length);
  }

  /** Returns whether a match begins at or after `from`; undefined when the pattern has too many states. Counts steps. */
  // hot: once per character.
  scan(text: string, from: number, steps: Steps): ScanResult | undefined {
    if (this.restarts > maxRestarts) return undefined;
    const { alphabet } = this;
    const { near } = alphabet;
    const before = this.restarts;
    let state = this.idleAfter(from > 0 ? contextAfter(runeBefore(text, from), this.conditions) : edge, steps);
    let idleAt = from;
    let due = from;
    for (let i = from; i < text.length; i++) {
      if (i >= due) {
        steps.take(Math.min(block, text.length - i + 16) >> 1);
        due = i + block;
      }
      if (state.found) return { found: true, idleAt };
      if (state.isIdle) idleAt = i;
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

  /**
   * Returns the instructions that can be reached without a character, except those after a condition that neither holds nor is excluded,
   * which are reached up to the condition. Counts visits.
   */
  private reach(from: readonly number[], holds: number, excluded: number, steps: Steps): Reached {
    const { inst, visited } = this;
    const visit = ++this.visit;
    const places: number[] = [];
    const open = [...from];
    let found = false;
    let count = 0;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (visited[at] === visit) continue;
      visited[at] = visit;
      const { op: kind, out, arg } = inst[at] as Instruction;
      if (kind === op.capture || kind === op.nop) {
        open.push(out);
        continue;
      }
      count++;
      if (kind === op.match) found = true;
      else if (kind === op.alt || kind === op.altMatch) open.push(arg, out);
      else if (kind === op.empty) {
        if ((arg & ~holds) === 0) open.push(out);
        else if ((arg & excluded) === 0) places.push(at);
      } else if (kind !== op.fail) places.push(at);
    }
    steps.take(placeSteps * count);
    return { places, found };
  }

  /** Returns the state after instructions. `before` is the context. */
  private stateOf(from: readonly number[], before: number, isIdle: boolean, steps: Steps): State {
    steps.take(placeSteps * from.length + (this.alphabet.size >> 2));
    const holds = conditionsAt(before, other) & knownBefore;
    // A line may begin later, so that its beginning is not excluded: a state without instructions never matches.
    const { places, found } = this.reach(from, holds, empty.beginText & ~holds, steps);
    steps.take(placeSteps * places.length);
    places.sort((a, b) => a - b);
    const key = `${before}${isIdle ? '.' : ''}${found ? '!' : ''}:${places.join()}`;
    const known = this.states.get(key);
    if (known) return known;
    if (this.states.size >= this.stateLimit) this.forget();
    const waiting = places.filter(at => this.inst[at]?.op === op.empty);
    const atEnd = conditionsAt(before, edge);
    const foundAtEnd = found || (waiting.length > 0 && this.reach(waiting, atEnd, ~atEnd, steps).found);
    const waits = waiting.some(at => this.inst[at]?.arg !== empty.endText);
    const next = new Array<State | undefined>(this.alphabet.size);
    const state = { places, next, found, foundAtEnd, isIdle, before, waits };
    this.states.set(key, state);
    return state;
  }

  /** Returns the state in a context in which no match has begun. */
  private idleAfter(before: number, steps: Steps): State {
    let state = this.idle.get(before);
    if (!state) this.idle.set(before, (state = this.stateOf([this.start], before, true, steps)));
    return state;
  }

  private forget(): void {
    this.states.clear();
    this.idle.clear();
    this.restarts++;
  }

  /** Returns the next state. A match may begin at any character. */
  private step(state: State, letter: number, steps: Steps): State {
    const sample = this.alphabet.samples[letter] ?? 0;
    let { places, found } = state;
    if (state.waits) {
      const holds = conditionsAt(state.before, sample);
      ({ places, found } = this.reach(places, holds, ~holds, steps));
    }
    const after: number[] = [];
    for (const at of places) {
      const instruction = this.inst[at] as Instruction;
      if (instruction.op !== op.empty && takes(instruction, sample)) after.push(instruction.out);
    }
    const before = contextAfter(sample, this.conditions);
    const next = found ? foundState(before) : this.following(after, before, steps);
    return (state.next[letter] = next);
  }

  private following(after: number[], before: number, steps: Steps): State {
    if (after.length === 0) return this.idleAfter(before, steps);
    after.push(this.start);
    return this.stateOf(after, before, false, steps);
  }
}

interface Reached {
  readonly places: number[];
  readonly found: boolean;
}

/** Returns the state after a match, which has no next ones. */
const foundState = (before: number): State => ({
  ...{ places: [], next: [], found: true, foundAtEnd: true },
  ...{ isIdle: false, before, waits: false },
});
