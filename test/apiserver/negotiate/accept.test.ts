import t from 'tap';
import { mentions, negotiate, parseAccept, wantsPretty } from '../../../apiserver/negotiate/accept.js';
import { asIs, customObjects, objects, reviews } from '../../../apiserver/negotiate/endpoints.js';

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const oldTable = 'application/json;as=Table;v=v1beta1;g=meta.k8s.io';

t.test('the Accept header is matched with the media types of an endpoint', async t => {
  const rows: readonly { accept: string | undefined; endpoint?: typeof objects; expect: string | undefined }[] = [
    { accept: undefined, expect: 'json' },
    { accept: '', expect: 'json' },
    { accept: '*/*', expect: 'json' },
    { accept: '*', expect: 'json' },
    { accept: 'application/*', expect: 'json' },
    { accept: 'application/yaml', expect: 'yaml' },
    { accept: 'application/xml', expect: undefined },
    { accept: 'application/xml, application/json;q=0.5', expect: 'json' },
    { accept: 'application/json;q=0.1, application/yaml;q=0.9', expect: 'yaml' },
    { accept: 'application/vnd.kubernetes.protobuf,application/json', expect: 'protobuf' },
    { accept: 'application/vnd.kubernetes.protobuf,application/json', endpoint: customObjects, expect: 'json' },
    { accept: 'application/json,application/vnd.kubernetes.protobuf', expect: 'json' },
    { accept: 'application/vnd.kubernetes.protobuf;q=0.5,application/json', expect: 'json' },
    { accept: 'application/json;q=0.5,application/vnd.kubernetes.protobuf;q=0.6', expect: 'protobuf' },
    { accept: 'application/yaml;q=0.8,application/vnd.kubernetes.protobuf;q=0.8,*/*;q=0.1', expect: 'yaml' },
    { accept: '*/*,application/vnd.kubernetes.protobuf', expect: 'protobuf' },
    { accept: 'application/vnd.kubernetes.protobuf', expect: 'protobuf' },
    { accept: 'application/vnd.kubernetes.protobuf', endpoint: asIs, expect: 'protobuf' },
    { accept: 'application/vnd.kubernetes.protobuf', endpoint: customObjects, expect: undefined },
    { accept: 'application/cbor', expect: undefined },
    { accept: `${table},${oldTable},application/json`, expect: 'json Table v1' },
    { accept: oldTable, expect: 'json Table v1beta1' },
    { accept: 'application/yaml;as=Table;v=v1;g=meta.k8s.io', expect: 'yaml Table v1' },
    { accept: 'application/json;as=Table;v=v9;g=meta.k8s.io', expect: undefined },
    { accept: 'application/json;as=Table;v=v9;g=meta.k8s.io, application/json', expect: 'json' },
    { accept: 'application/json;as=Table;v=v1;g=other', expect: undefined },
    { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1', expect: 'json PartialObjectMetadata v1' },
    { accept: 'application/json;as=Nothing;g=meta.k8s.io;v=v1', expect: undefined },
    { accept: 'application/json;stream=watch', expect: 'json' },
    { accept: 'application/json;stream=other', expect: undefined },
    { accept: 'application/json;unknown=1', expect: 'json' },
    { accept: table, endpoint: reviews, expect: undefined },
    { accept: table, endpoint: asIs, expect: undefined },
    { accept: `${table},application/json`, endpoint: asIs, expect: 'json' },
    { accept: ', ;,application/json', expect: 'json' },
  ];
  for (const { accept, endpoint = objects, expect } of rows) {
    const found = negotiate(accept, false, endpoint);
    const result = found && (found.as ? `${found.format} ${found.as} ${found.version}` : found.format);
    t.equal(result, expect, String(accept));
  }
});

t.test('parsed clauses are cached', async t => {
  t.equal(parseAccept('application/json, text/plain'), parseAccept('application/json, text/plain'));
});

t.test('long headers are not cached, and only their first clauses are parsed', async t => {
  const long = Array.from({ length: 1000 }, (_, i) => `text/x${i}`).join(',');
  const clauses = parseAccept(`application/json,${long}`);
  t.equal(clauses.length, 100);
  t.match(clauses[0], { type: 'application', subtype: 'json' });
  t.not(parseAccept(`application/json,${long}`), clauses);
});

t.test('browsers get indented responses', async t => {
  t.equal(wantsPretty(undefined, 'curl/8.0'), true);
  t.equal(wantsPretty(undefined, 'Mozilla/5.0 (X11)'), true);
  t.equal(wantsPretty(undefined, 'kubectl/v1.32'), false);
  t.equal(wantsPretty('false', 'curl/8.0'), false);
  t.equal(wantsPretty('1', 'kubectl'), true);
  t.equal(wantsPretty('yes', 'curl/8.0'), false, 'as strconv.ParseBool');
  t.equal(wantsPretty('', 'curl/8.0'), true);
});

t.test('the router compares names only', async t => {
  const types = ['application/json'];
  t.ok(mentions(undefined, types));
  t.ok(mentions('application/json;as=Nothing', types));
  t.ok(mentions('text/html, */*;q=0.1', types));
  t.notOk(mentions('application/*', types));
  t.notOk(mentions('application/xml', types));
});
