const maxEntries = 4096;
/** Characters. Longer texts are not cached, so that they cannot fill the memory. */
const maxTextLength = 1024;

/** Caches the results for texts of which the same few come repeatedly; emptied when there are too many. */
export function memoizeByText<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>();
  return text => {
    let found = made.get(text);
    if (found === undefined) {
      found = make(text);
      if (text.length > maxTextLength) return found;
      if (made.size >= maxEntries) made.clear();
      made.set(text, found);
    }
    return found;
  };
}
