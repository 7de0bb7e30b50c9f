import t from 'tap';
import { type Answer, answerReader } from '../../bench/load/answer-reader.js';

const rows = [
  {
    name: 'a length',
    given: 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello',
    expect: { status: 200, bytes: 5, refusal: '', body: 'hello' },
  },
  {
    name: 'nothing',
    given: 'HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n',
    expect: { status: 201, bytes: 0, refusal: '', body: '' },
  },
  {
    name: 'chunks',
    given:
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nA\r\n, new\r\nwor\r\n2\r\nld\r\n0\r\n\r\n',
    expect: { status: 200, bytes: 17, refusal: '', body: 'hello, new\r\nworld' },
  },
  {
    name: 'a refusal',
    given: 'HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone',
    expect: { status: 404, bytes: 4, refusal: 'gone', body: 'gone' },
  },
];

interface Heard extends Answer {
  readonly body: string;
}

/** Fed in pieces of this size. */
function read(text: string, size: number): Heard[] {
  const answers: Heard[] = [];
  let body = '';
  const feed = answerReader({
    answer(answer) {
      answers.push({ ...answer, body });
      body = '';
    },
    body: part => void (body += part.toString()),
  });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) feed(bytes.subarray(at, at + size));
  return answers;
}

t.test('answers, however they are cut', async t => {
  for (const { name, given, expect } of rows)
    for (const size of [1, 2, 3, 7, given.length]) t.same(read(given, size), [expect], `${name}, by ${size}`);
  const all = rows.map(({ given }) => given).join('');
  for (const size of [1, 5, 64, all.length])
    t.same(
      read(all, size),
      rows.map(({ expect }) => expect),
      `one after the other, by ${size}`,
    );
});
