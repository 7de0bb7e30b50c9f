import t from 'tap';
import { compacted, endOfValue, indented } from '../../../lib/json/json-text.js';

const rows: readonly { readonly given: string; readonly compact: string; readonly lines: readonly string[] }[] = [
  { given: ' { } ', compact: '{}', lines: ['{}'] },
  { given: '[ ]', compact: '[]', lines: ['[]'] },
  { given: '1.0', compact: '1.0', lines: ['1.0'] },
  { given: '"a , b"', compact: '"a , b"', lines: ['"a , b"'] },
  {
    given: '{"a" : [ 1.0 , {"b":"\\\\"} ],\n"c":{"d":[]} , "e\\"":null}',
    compact: '{"a":[1.0,{"b":"\\\\"}],"c":{"d":[]},"e\\"":null}',
    lines: [
      '{',
      '  "a": [',
      '    1.0,',
      '    {',
      '      "b": "\\\\"',
      '    }',
      '  ],',
      '  "c": {',
      '    "d": []',
      '  },',
      '  "e\\"": null',
      '}',
    ],
  },
];

t.test('values are written as JSON', async t => {
  for (const { given, compact, lines } of rows) {
    t.equal(compacted(given), compact);
    t.equal(indented(given, '\n', '  '), lines.join('\n'));
    t.equal(indented(compact, '\n', '  '), lines.join('\n'));
    t.equal(endOfValue(`${compact},"x"`, 0), compact.length);
  }
  const value = { a: [1, [2, { b: {} }], []], c: 'x:{', d: { e: true } };
  t.equal(indented(JSON.stringify(value), '\n', '  '), JSON.stringify(value, undefined, 2));
});
