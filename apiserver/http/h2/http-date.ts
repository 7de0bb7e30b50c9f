let second = 0;
let text = '';

/** hot: the time as a Date header has it (RFC 9110, 5.6.7), made once a second. `now`: milliseconds since 1970. */
export function httpDate(now: number): string {
  const current = Math.floor(now / 1000);
  if (current !== second) {
    second = current;
    text = new Date(now).toUTCString();
  }
  return text;
}
