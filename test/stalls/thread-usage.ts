/** What Linux counts for the main thread of this process. */
import fs from 'node:fs';
import process from 'node:process';

/** The usage of the main thread since its beginning. */
export interface Usage {
  /** Milliseconds on a CPU. */
  readonly ran: number;
  /** Milliseconds of waiting for a CPU. */
  readonly waited: number;
  /** Page faults that were served without reading a file. */
  readonly faults: number;
}

/** Reads what Linux counts for the main thread. */
export class ThreadUsage {
  readonly #schedule = fs.openSync('/proc/self/schedstat', 'r');
  readonly #stat = fs.openSync(`/proc/self/task/${process.pid}/stat`, 'r');
  readonly #bytes = Buffer.alloc(1024);

  read(): Usage {
    const [ran = 0, waited = 0] = this.#text(this.#schedule).split(' ').map(Number);
    return { ran: ran / 1e6, waited: waited / 1e6, faults: this.#faults() };
  }

  close(): void {
    fs.closeSync(this.#schedule);
    fs.closeSync(this.#stat);
  }

  /** The name of the program, which may hold spaces, stands in parentheses before the third field; `minflt` is the tenth. */
  #faults(): number {
    const stat = this.#text(this.#stat);
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ', 8)[7]);
  }

  #text(file: number): string {
    return this.#bytes.toString('latin1', 0, fs.readSync(file, this.#bytes, 0, this.#bytes.length, 0));
  }
}
