import t from 'tap';
import { readRequirements } from '../../../apimachinery/selectors/label-syntax.js';
import { maxRequirements, maxSelectorValues, tooManyRequirements } from '../../../apimachinery/selectors/limits.js';

/** Returns the requirements as `KEY OPERATOR VALUES`, or the error. */
function read(text: string): readonly string[] | string {
  const found = readRequirements(text);
  return 'error' in found ? found.error : found.map(r => `${r.key} ${r.operator} ${JSON.stringify(r.values)}`);
}

t.test('requirements, in the order of the text', async t => {
  t.strictSame(read(''), []);
  t.strictSame(read(' \t\n'), []);
  t.strictSame(read('a=b, c==d ,e!=f'), ['a = ["b"]', 'c == ["d"]', 'e != ["f"]']);
  t.strictSame(read('a,!b'), ['a exists []', 'b ! []']);
  t.strictSame(read('n>5,m<7'), ['n gt ["5"]', 'm lt ["7"]']);
  t.strictSame(read('example.com/a in (y, x),b notin ()'), ['example.com/a in ["x","y"]', 'b notin [""]']);
});

t.test('values may be empty, and sets are sorted without duplicates', async t => {
  t.strictSame(read('a=,b=='), ['a = [""]', 'b == [""]']);
  t.strictSame(read('a in (,b)'), ['a in ["","b"]']);
  t.strictSame(read('a in (b,)'), ['a in ["","b"]']);
  t.strictSame(read('a in (b,a,b)'), ['a in ["a","b"]']);
});

t.test('in and notin may be keys and values', async t => {
  t.strictSame(read('in in (notin)'), ['in in ["notin"]']);
  t.strictSame(read('notin=in'), ['notin = ["in"]']);
});

t.test('errors have the texts of upstream', async t => {
  for (const [text, error] of [
    ['a=b,', "found '', expected: identifier after ','"],
    [',', "found ',', expected: !, identifier, or 'end of string'"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in x', "unable to parse requirement: found 'x' expected: '('"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
  ] as const)
    t.equal(read(text), error, text);
  t.match(read('-a=b'), 'unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of');
  t.match(read('a>b'), 'unable to parse requirement:');
});

t.test('the number of requirements and values is limited', async t => {
  const texts = (count: number, prefix: string): string =>
    Array.from({ length: count }, (_, i) => prefix + i).join(',');
  t.equal(read(texts(maxRequirements, 'k')).length, maxRequirements);
  t.equal(read(texts(maxRequirements + 1, '!k')), tooManyRequirements);
  const tooManyValues = `unable to parse requirement: a selector may have at most ${maxSelectorValues} values`;
  t.equal(read(`k in (${texts(maxSelectorValues, 'v')})`).length, 1);
  t.equal(read(`k in (${texts(maxSelectorValues + 1, 'v')})`), tooManyValues);
  t.equal(read(`k in (${texts(6000, 'v')}),l notin (${texts(6000, 'v')})`), tooManyValues, 'of all lists together');
  t.equal(read(`k notin (${','.repeat(2 * maxSelectorValues + 1)})`), tooManyValues, 'empty values count, too');
});
