const most = 4096;
/** Longer ones are made anew each time, so that nobody can fill the memory with them. */
const longest = 1024;

/** What is made of texts of which the same few come again and again; forgotten when there are many. */
export function memoizeByText<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>();
  return text => {
    let found = made.get(text);
    if (found === undefined) {
      found = make(text);
      if (text.length > longest) return found;
      if (made.size >= most) made.clear();
      made.set(text, found);
    }
    return found;
  };
}
