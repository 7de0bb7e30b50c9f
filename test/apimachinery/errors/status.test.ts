import t from 'tap';
import type { Status } from '../../../apimachinery/interface.js';
import * as status from '../../../apimachinery/errors/status.js';
import { recorded } from '../../data.js';

const cm = { group: '', resource: 'configmaps' };
const deploy = { group: 'apps', resource: 'deployments' };

/** Bodies of kube-apiserver, byte for byte. */
const bodies: { name: string; given: status.StatusError | Status; expect: string }[] = [
  {
    name: 'not found',
    given: status.notFound(deploy, 'x'),
    expect:
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"deployments.apps \\"x\\" not found","reason":"NotFound","details":{"name":"x","group":"apps","kind":"deployments"},"code":404}',
  },
  {
    name: 'path not found',
    given: status.pathNotFound(),
    expect:
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404}',
  },
  {
    name: 'forbidden create',
    given: status.forbidden(cm, '', 'User "u" cannot create resource "configmaps"'),
    expect:
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"configmaps is forbidden: User \\"u\\" cannot create resource \\"configmaps\\"","reason":"Forbidden","details":{"kind":"configmaps"},"code":403}',
  },
  {
    name: 'forbidden path',
    given: status.forbidden({ group: '', resource: '' }, '', 'User "nobody" cannot get path "/metrics"'),
    expect:
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"forbidden: User \\"nobody\\" cannot get path \\"/metrics\\"","reason":"Forbidden","details":{},"code":403}',
  },
  {
    name: 'plain 500',
    given: status.resourceVersionOnCreate(),
    expect:
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"resourceVersion should not be set on objects to be created","code":500}',
  },
  {
    name: 'too large resource version',
    given: status.tooLargeResourceVersion(9, 3),
    expect:
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Timeout: Too large resource version: 9, current: 3","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504}',
  },
  {
    name: 'success',
    given: status.success(cm, 'a', 'u-1'),
    expect:
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"a","kind":"configmaps","uid":"u-1"}}',
  },
];

t.test('bodies equal those of kube-apiserver', async t => {
  for (const { name, given, expect } of bodies) {
    t.equal(JSON.stringify(given instanceof status.StatusError ? given.status : given), expect, name);
  }
});

t.test('every recorded invalid body is rebuilt from its causes', async t => {
  const bodies: Status[] = [];
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(collect);
    if (typeof value !== 'object' || value === null) return;
    const status = value as Status;
    if (status.kind === 'Status' && status.reason === 'Invalid') bodies.push(status);
    else Object.values(value).forEach(collect);
  };
  for (const area of ['validation', 'crd', 'metadata', 'defaults', 'fieldvalidation'])
    collect(recorded(`corpus/${area}.json`));
  let compared = 0;
  for (const body of bodies) {
    const { name = '', group = '', kind = '', causes = [] } = body.details ?? {};
    // Texts with masked values, and errors that are built elsewhere, do not test the builder.
    if (!body.message?.includes(' is invalid') || causes.length === 0) continue;
    if (kind !== '' && kind.toLowerCase() === kind) continue;
    const faults = causes.map(c => ({
      reason: c.reason as 'FieldValueInvalid',
      path: c.field ?? '',
      message: c.message ?? '',
    }));
    t.strictSame(status.invalid({ group, kind }, name, faults).status, body, body.message);
    compared++;
  }
  t.ok(compared > 150, `${compared} bodies`);
});

t.test('the Status of another error has its text', async t => {
  t.match(status.statusOf(new Error('boom')), { code: 500, message: 'boom', reason: undefined });
  const known = status.gone('x');
  t.equal(status.statusOf(known), known.status);
  t.ok(status.isNotFound(status.notFound(cm, 'a')));
  t.notOk(status.isNotFound(new Error('NotFound')));
});
