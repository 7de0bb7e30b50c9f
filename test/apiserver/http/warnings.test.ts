import t from 'tap';
import { warningHeader, warningHeaders } from '../../../apiserver/http/warnings.js';

t.test('the text of a Warning header', async t => {
  t.equal(warningHeader('unknown field "spec.x"'), '299 - "unknown field \\"spec.x\\""');
  t.equal(warningHeader('a\\b'), '299 - "a\\\\b"');
  t.equal(warningHeader('two\nlines'), undefined, 'characters that a header cannot carry are dropped');
  t.equal(Buffer.from(warningHeader('näh') ?? '', 'latin1').toString('utf8'), '299 - "näh"', 'bytes are UTF-8');
});

t.test('empty texts are dropped, and the order is kept', async t => {
  t.same(warningHeaders(new Set(['b', 'a', ''])), ['299 - "b"', '299 - "a"']);
});

t.test('beyond the budget all warnings are shortened, and those that still exceed it are dropped', async t => {
  const long = (letter: string) => letter.repeat(1000);
  const four = warningHeaders(new Set(['a', 'b', 'c', 'd'].map(long)));
  t.same(
    four.map(text => text.length),
    [1008, 1008, 1008, 1008],
    'within 4096 runes nothing is shortened',
  );
  const five = warningHeaders(new Set(['a', 'b', 'c', 'd', 'e'].map(long)));
  t.same(
    five.map(text => text.length),
    [264, 264, 264, 264, 264],
  );
  const many = warningHeaders(new Set(Array.from({ length: 40 }, (_, i) => String(i).padStart(300, 'x'))));
  t.equal(many.length, 16);
});
