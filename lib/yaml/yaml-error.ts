/** An error in a text. The message is that of Go's reader: `yaml: line 3: did not find expected key`. */
export class YamlError extends Error {
  /** `line`: from 1; absent when Go's reader reports none. */
  constructor(problem: string, line?: number) {
    super(line === undefined ? `yaml: ${problem}` : `yaml: line ${line}: ${problem}`);
    this.name = 'YamlError';
  }

  /** Creates an error with a complete message. */
  static of(message: string): YamlError {
    return Object.assign(new YamlError(''), { message });
  }
}
