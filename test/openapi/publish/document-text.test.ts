import { createHash } from 'node:crypto';
import t from 'tap';
import { jsonText } from '../../../lib/json/json.js';
import { encodeSteps } from '../../../openapi/publish/document-text.js';

t.test('a document that is encoded in steps is its JSON text, and the hash is that of its bytes', t => {
  const long = Object.fromEntries(
    Array.from({ length: 3000 }, (_, i) => [`p${i}`, { type: 'string', description: `é ${i} "<>"` }]),
  );
  const cases: Record<string, Record<string, unknown>> = {
    empty: {},
    'without its undefined members': { a: undefined, b: 1, c: undefined },
    'undefined members only': { a: undefined },
    scalars: { a: null, b: 'é"\n', c: 1.5, d: true, e: [1, { f: [] }] },
    'large objects within large objects': { a: { long, b: { c: long, d: {} } }, e: long, f: Object.values(long) },
  };
  for (const [name, document] of Object.entries(cases)) {
    const steps = encodeSteps(document);
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count++;
    const { json, hash } = step.value;
    t.equal(json.toString(), jsonText(document), name);
    t.equal(hash, createHash('sha512').update(json).digest('hex').toUpperCase(), `${name}: hash`);
    if (name.startsWith('large')) t.ok(count > 3000, 'the properties of large objects are steps of their own');
  }
  t.end();
});
