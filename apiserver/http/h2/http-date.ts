/** The value of the Date header (RFC 9110, section 5.6.7), formatted once per second. */
export class HttpDate {
  #second = 0;
  #text = '';

  /** hot: every answer. Returns the value of the header. `now`: milliseconds since 1970. */
  at(now: number): string {
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(now).toUTCString();
    }
    return this.#text;
  }
}
