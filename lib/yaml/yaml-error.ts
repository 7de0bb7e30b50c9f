/** A fault of a text. The message is that of Go's reader: `yaml: line 3: did not find expected key`. */
export class YamlError extends Error {
  /** `line`, from 1; absent where Go's reader names none. */
  constructor(problem: string, line?: number) {
    super(line === undefined ? `yaml: ${problem}` : `yaml: line ${line}: ${problem}`);
    this.name = 'YamlError';
  }

  /** With a message that is complete. */
  static of(message: string): YamlError {
    return Object.assign(new YamlError(''), { message });
  }
}
