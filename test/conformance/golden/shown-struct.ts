/** Returns the message without Go structs (`Invalid value: {"Foo":...}`), which are not compared. */
export function withoutShownStruct(message: string): string {
  const head = /Invalid value: (?=[{[])/g;
  let out = '';
  let from = 0;
  for (let match = head.exec(message); match; match = head.exec(message)) {
    out += message.slice(from, match.index + match[0].length) + '…';
    from = endOfValue(message, head.lastIndex);
    head.lastIndex = from;
  }
  return out + message.slice(from);
}

/** Returns the end of the JSON value that begins at `at`. */
function endOfValue(text: string, at: number): number {
  let depth = 0;
  let quoted = false;
  for (let i = at; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c === '\\') i++;
      else if (c === '"') quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === '{' || c === '[') depth++;
    else if ((c === '}' || c === ']') && --depth === 0) return i + 1;
  }
  return text.length;
}
