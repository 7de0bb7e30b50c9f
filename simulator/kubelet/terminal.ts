import { PassThrough, type Readable, Writable } from 'node:stream';

const interrupt = 3;
const endOfInput = 4;
const backspaces = new Set([8, 127]);
const carriageReturn = 13;
const lineFeed = 10;
/** Bytes of a line that is being typed. as n_tty of Linux */
const maxLine = 4096;

/** The line discipline of a terminal: echoes what is typed, passes on whole lines, and ends lines of the output with CR LF. */
export class Terminal {
  /** What a command reads. */
  readonly input = new PassThrough();
  /** What a command writes. */
  readonly output: Writable;
  readonly #to: Writable;
  #line: number[] = [];

  /** `onInterrupt` is called for Ctrl-C. */
  constructor(from: Readable | undefined, to: Writable, onInterrupt: () => void) {
    this.#to = to;
    this.output = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        const text = Buffer.from(chunk.toString('latin1').replaceAll('\n', '\r\n'), 'latin1');
        if (to.destroyed) done(new Error('the terminal is gone'));
        else to.write(text, error => done(error));
      },
    });
    this.output.on('error', () => undefined);
    this.input.on('error', () => undefined);
    if (from) void this.#type(from, onInterrupt);
  }

  async #type(from: Readable, onInterrupt: () => void): Promise<void> {
    try {
      for await (const chunk of from as AsyncIterable<Buffer>) {
        for (const byte of chunk) this.#typed(byte, onInterrupt);
        if (this.input.writableNeedDrain) await new Promise(resolve => this.input.once('drain', resolve));
      }
    } catch {
      // The client is gone.
    }
    this.input.end(Buffer.from(this.#line));
  }

  #typed(byte: number, onInterrupt: () => void): void {
    if (byte === interrupt) {
      this.#echo('^C\r\n');
      this.#line = [];
      onInterrupt();
    } else if (byte === endOfInput && this.#line.length === 0) this.input.end();
    else if (backspaces.has(byte)) {
      if (this.#line.pop() !== undefined) this.#echo('\b \b');
    } else if (byte === carriageReturn || byte === lineFeed) {
      this.#echo('\r\n');
      if (!this.input.writableEnded) this.input.write(Buffer.from([...this.#line, lineFeed]));
      this.#line = [];
    } else if (this.#line.length < maxLine) {
      this.#line.push(byte);
      this.#echo(Buffer.of(byte));
    }
  }

  #echo(data: string | Buffer): void {
    if (!this.#to.destroyed) this.#to.write(data);
  }
}
