const newline = 0x0a;

/** Lines of a body as they come, without their ends; the last one also without an end. hot: watches */
export async function* lines(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = chunk.subarray(start, end);
      yield rest.length > 0 ? Buffer.concat([...rest, line]) : line;
      rest = [];
      start = end + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}
