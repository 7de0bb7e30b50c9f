import t from 'tap';
import { asInCluster } from '../../../aggregation/search/as-in-cluster.js';
import {
  readContinueToken,
  readVersions,
  versionFor,
  versionIn,
  writeContinueToken,
} from '../../../aggregation/search/versions.js';
import { annotations } from '../../../api/karmada/well-known.js';

const encoded = (text: string): string => Buffer.from(text).toString('base64url');

t.test('multi-cluster versions are read and written', t => {
  const cases = [
    { name: 'empty', text: '', get: '', back: '' },
    { name: 'any version', text: '0', get: '0', back: '0' },
    { name: 'known', text: encoded('{"a":"1","m":"2"}'), get: '2', back: encoded('{"a":"1","m":"2"}') },
    { name: 'sorted', text: encoded('{"m":"2","a":"1"}'), get: '2', back: encoded('{"a":"1","m":"2"}') },
    { name: 'no JSON', text: encoded('x'), get: '', back: '' },
    { name: 'a number', text: '1234', get: '', back: '' },
    { name: 'null', text: encoded('null'), get: '', back: '' },
  ];
  for (const { name, text, get, back } of cases) {
    const versions = readVersions(text);
    t.equal(versions.get('m'), get, name);
    t.equal(versions.toString(), back, name);
  }
  const versions = readVersions('0');
  versions.set('m', '5');
  t.equal(versions.get('m'), '5');
  t.equal(versions.get('other'), '');
  t.ok(versions.has('m'));
  t.equal(versions.toString(), versionIn('m', '5'));
  t.end();
});

t.test('versionFor returns the version of one cluster', t => {
  t.equal(versionFor('m', encoded('{"m":"2"}')), '2');
  t.equal(versionFor('n', encoded('{"m":"2"}')), '');
  for (const text of ['', '0', '1234', 'not base64!']) t.equal(versionFor('m', text), undefined, text);
  t.end();
});

t.test('a continue token is read as it was written', t => {
  const place = { versions: 'v', cluster: 'm', token: 't' };
  t.same(readContinueToken(writeContinueToken(place)), place);
  t.equal(
    Buffer.from(writeContinueToken({ ...place, token: '' }), 'base64url').toString(),
    '{"rv":"v","cluster":"m"}',
    'the token is omitted when it is empty',
  );
  t.same(readContinueToken('junk'), { versions: '', cluster: '', token: '' });
  t.end();
});

t.test("update bodies lose the cache annotation and get the member's resourceVersion", t => {
  const mark = { [annotations.cachedFromCluster]: 'm' };
  const of = (metadata: object) => ({ apiVersion: 'v1', kind: 'X', metadata: { name: 'a', ...metadata } });
  const cases = [
    {
      name: 'an object without the annotation',
      given: { resourceVersion: '7', annotations: { a: 'b' } },
      want: undefined,
    },
    {
      name: 'marked',
      given: { resourceVersion: '7', annotations: { a: 'b', ...mark } },
      want: { resourceVersion: '7', annotations: { a: 'b' } },
    },
    { name: 'annotation only', given: { annotations: mark }, want: {} },
    { name: 'a version', given: { resourceVersion: versionIn('m', '7') }, want: { resourceVersion: '7' } },
    { name: 'of another cluster', given: { resourceVersion: versionIn('n', '7') }, want: { resourceVersion: '' } },
    {
      name: 'both',
      given: { resourceVersion: versionIn('m', '7'), annotations: { a: 'b', ...mark } },
      want: { resourceVersion: '7', annotations: { a: 'b' } },
    },
  ];
  for (const { name, given, want } of cases) t.same(asInCluster(of(given), 'm'), want && of(want), name);
  t.end();
});
