/** Finds the first match of a compiled pattern in a counted number of steps. */
import type { Steps } from '../steps.js';
import { type Instruction, type RegexpProgram, conditionsAt, op, runeBefore, takes } from './regexp-program.js';

/** Positions in the program by priority, each with the position in the text at which its match would begin. */
class Threads {
  readonly places: Int32Array;
  readonly starts: Int32Array;
  count = 0;
  private readonly seen: Int32Array;
  private round = 0;

  constructor(size: number) {
    this.places = new Int32Array(size);
    this.starts = new Int32Array(size);
    this.seen = new Int32Array(size);
  }

  clear(): void {
    this.count = 0;
    this.round++;
  }

  /** Returns true for a position that was not visited in this round. */
  visit(place: number): boolean {
    if (this.seen[place] === this.round) return false;
    this.seen[place] = this.round;
    return true;
  }

  push(place: number, start: number): void {
    this.places[this.count] = place;
    this.starts[this.count++] = start;
  }
}

export interface RegexpMatch {
  readonly at: number;
  readonly end: number;
}

/** Runs a program on texts: all threads advance through the text in parallel. */
export class RegexpSearch {
  private readonly program: RegexpProgram;
  private current: Threads;
  private next: Threads;
  private readonly open: number[] = [];

  constructor(program: RegexpProgram) {
    this.program = program;
    this.current = new Threads(program.inst.length);
    this.next = new Threads(program.inst.length);
  }

  /** Returns the leftmost match that begins at or after `from`; of several there, the one that a backtracking matcher would find. */
  find(text: string, from: number, steps: Steps): RegexpMatch | undefined {
    this.current.clear();
    this.next.clear();
    let best: RegexpMatch | undefined;
    let before = from > 0 ? runeBefore(text, from) : -1;
    for (let at = from; ;) {
      const rune = text.codePointAt(at) ?? -1;
      const holds = conditionsAt(before, rune);
      if (!best) this.follow(this.current, this.program.start, at, holds);
      // A character costs as much as a thread, even when there is no thread.
      steps.take(6 + 7 * this.current.count);
      const after = rune > 0xffff ? at + 2 : at + 1;
      best = this.step(text, at, after) ?? best;
      [this.current, this.next] = [this.next, this.current];
      this.next.clear();
      if (rune < 0 || (best && this.current.count === 0)) return best;
      before = rune;
      at = after;
    }
  }

  /** Advances all threads by one character. Returns the match of the first thread at its end; those after it are dropped. */
  private step(text: string, at: number, after: number): RegexpMatch | undefined {
    const { inst } = this.program;
    const { places, starts, count } = this.current;
    const rune = text.codePointAt(at) ?? -1;
    const holds = conditionsAt(rune, text.codePointAt(after) ?? -1);
    for (let i = 0; i < count; i++) {
      const instruction = inst[places[i] as number] as Instruction;
      const start = starts[i] as number;
      if (instruction.op === op.match) return { at: start, end: at };
      if (rune >= 0 && takes(instruction, rune)) this.follow(this.next, instruction.out, start, holds);
    }
    return undefined;
  }

  /** Adds the positions that can be reached without a character, the preferred ones first. */
  private follow(threads: Threads, from: number, start: number, holds: number): void {
    const { open } = this;
    open.push(from);
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      if (!threads.visit(place)) continue;
      const { op: kind, out, arg } = this.program.inst[place] as Instruction;
      if (kind === op.alt || kind === op.altMatch) open.push(arg, out);
      else if (kind === op.capture || kind === op.nop) open.push(out);
      else if (kind === op.empty) {
        if ((arg & ~holds) === 0) open.push(out);
      } else if (kind !== op.fail) threads.push(place, start);
    }
  }
}
