import t from 'tap';
import { base64Error, canonicalBase64, isPaddedBase64 } from '../../../apimachinery/codec/base64.js';

t.test('what Go decodes', async t => {
  const table: readonly [text: string, error: number | undefined, canonical?: string][] = [
    ['', undefined],
    ['eA==', undefined],
    ['eHk=', undefined],
    ['eHl6', undefined],
    ['eB==', undefined, 'eA=='],
    ['eHl=', undefined, 'eHk='],
    ['eH\nl6\n', undefined, 'eHl6'],
    ['eHl', 0],
    ['=', 0],
    ['e===', 1],
    ['eHl6=', 4],
    ['eA=', 3],
    ['eA==eA==', 4],
    ['eH-6', 2],
    ['eHl6eH_6', 6],
  ];
  for (const [text, at, canonical = text] of table) {
    t.equal(base64Error(text), at === undefined ? undefined : `illegal base64 data at input byte ${at}`, text);
    if (at === undefined) t.equal(canonicalBase64(text), canonical, text);
    t.equal(isPaddedBase64(text), at === undefined && !text.includes('\n'), text);
  }
});

t.test('a text of any length', async t => {
  const long = 'abcd'.repeat(3_000_000);
  t.equal(base64Error(long), undefined);
  t.equal(base64Error(`${long}eA==`), undefined);
  t.equal(base64Error(`${long}*`), `illegal base64 data at input byte ${long.length}`);
});
