import t from 'tap';
import { certificateFault, requestFault } from '../../../../authn/pki/faults.js';
import { createAuthority, issueServing } from '../../../../authn/pki/authority.js';
import { toBase64 } from '../../../../apimachinery/codec/base64.js';
import { createKey } from '../../../../apimachinery/x509/keys.js';
import { createRequest } from '../../../../apimachinery/x509/create-request.js';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import type { Prepare, ResourceDefinition, Strategy } from '../../../../registry/interface.js';
import { certificateRules } from '../../../../kinds/kubernetes/certificates/certificate-signing-request.js';
import { nativeDefinitions } from '../../../../kinds/kubernetes/native.js';
import { refusalOf, replayRefusals, strategyContext } from '../recorded.js';

const rules = certificateRules({ requestFault, certificateFault });
const definition = nativeDefinitions()
  .filter(({ kind }) => kind === 'CertificateSigningRequest')
  .map((found): ResourceDefinition => ({ ...found, strategy: rules.strategy }));

const request = toBase64(createRequest({ name: 'jane', groups: ['devs'] }, await createKey()));
const good = { request, signerName: 'example.com/signer', usages: ['client auth', 'digital signature'] };
const object = (spec: object, status?: object): KubeObject => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: 'a', resourceVersion: '1' },
  spec,
  ...(status && { status }),
});

const said = async (spec: object): Promise<readonly string[]> => {
  const [only] = definition;
  const causes = only && (await refusalOf(only, object(spec))).details?.causes;
  return (causes ?? []).map(({ field, message }) => `${field}: ${message}`);
};

t.test('recorded refusals are repeated', async t => {
  t.equal(await replayRefusals(t, definition), 1);
});

t.test('invalid requests are refused', async t => {
  const legacy = 'kubernetes.io/legacy-unknown';
  const table: readonly [string, object, readonly string[]][] = [
    ['good', good, []],
    [
      'legacy signer',
      { ...good, signerName: legacy },
      [`spec.signerName: Invalid value: "${legacy}": the legacy signerName is not allowed via this API version`],
    ],
    [
      'short',
      { ...good, expirationSeconds: 599 },
      ['spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)'],
    ],
    ['twice', { ...good, usages: ['signing', 'signing'] }, ['spec.usages[1]: Duplicate value: "signing"']],
    [
      'no path',
      { ...good, signerName: 'x' },
      [
        `spec.signerName: Invalid value: "x": must be a fully qualified domain and path of the form 'example.com/signer-name'`,
      ],
    ],
    [
      'no domain',
      { ...good, signerName: 'a/b' },
      ['spec.signerName: Invalid value: "a": should be a domain with at least two segments separated by dots'],
    ],
    [
      'not PEM',
      { ...good, request: 'eA==' },
      ['spec.request: Invalid value: "eA==": PEM block type must be CERTIFICATE REQUEST'],
    ],
  ];
  for (const [name, spec, expect] of table) t.same(await said(spec), expect, name);
  t.match(
    (await said({ ...good, usages: ['flying'] }))[0],
    /^spec.usages\[0\]: Unsupported value: "flying": supported values: "any", "cert sign", /,
  );
  t.match(
    (await said({ ...good, signerName: 'a.b/C' }))[0],
    'spec.signerName: Invalid value: "C": validating label "C": a lowercase RFC 1123 subdomain',
  );
});

function prepared(prepare: readonly Prepare[], draft: KubeObject, old?: KubeObject): KubeObject {
  for (const step of prepare) step(draft, old, strategyContext(old ? 'update' : 'create'));
  return draft;
}

t.test('a request has the identity of the user that creates it', async t => {
  const draft = object(
    { ...good, username: 'root', groups: ['system:masters'], uid: '0', extra: { x: ['y'] } },
    { certificate: 'eA==' },
  );
  t.same(prepared(rules.strategy.prepareCreate, draft), {
    ...object({ ...good, username: 'jane', uid: 'u-1', groups: ['devs', 'system:authenticated'], extra: { k: ['v'] } }),
    status: {},
  });
});

type Part = Pick<Strategy, 'prepareUpdate' | 'validateUpdate'>;

function changed(part: Part, status: object, old: KubeObject): { status: unknown; faults: readonly string[] } {
  const draft = prepared(part.prepareUpdate, object(good, structuredClone(status)), old);
  const faults = part.validateUpdate.flatMap(rule => rule(draft, old, strategyContext('update')));
  return { status: draft['status'], faults: faults.map(({ path, message }) => `${path}: ${message}`) };
}

t.test('conditions and certificates are validated', async t => {
  const part = (name: 'status' | 'approval'): Part => {
    const found = rules.subresources[name];
    if (found.type !== 'part') throw new Error(name);
    return found;
  };
  const stamped = { lastUpdateTime: '2026-01-02T03:04:05Z', lastTransitionTime: '2026-01-02T03:04:05Z' };
  const approved = { type: 'Approved', status: 'True', reason: 'x' };
  const pending = object(good, {});

  t.same(changed(part('approval'), { conditions: [approved] }, pending), {
    status: { conditions: [{ ...approved, ...stamped }] },
    faults: [],
  });
  t.same(changed(part('status'), { conditions: [approved] }, pending).faults, [
    'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
  ]);
  const done = object(good, { conditions: [{ ...approved, ...stamped }] });
  t.same(changed(part('approval'), {}, done).faults, [
    'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
  ]);
  const both = {
    conditions: [
      { ...approved, ...stamped },
      { type: 'Denied', status: 'True' },
    ],
  };
  t.same(changed(part('approval'), both, done).faults, [
    'status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
  ]);
  t.same(changed(part('approval'), { conditions: [{ ...approved, status: 'False' }] }, pending).faults, [
    'status.conditions[0].status: Unsupported value: "False": supported values: "True"',
  ]);
  const older = { ...done, metadata: { ...done.metadata, labels: {}, uid: 'u' } };
  t.same(
    changed(part('approval'), {}, older).faults,
    [
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
      'metadata.uid: Invalid value: null: field is immutable',
    ],
    'a metadata change is reported last',
  );

  const authority = await createAuthority();
  const certificate = toBase64((await issueServing(authority, ['x'])).certificate);
  const conditions = [{ ...approved, ...stamped }];
  t.same(changed(part('status'), { conditions: [{ ...approved, reason: 'changed' }], certificate }, done), {
    status: { conditions, certificate },
    faults: [],
  });
  t.same(changed(part('status'), { conditions, certificate: toBase64('x') }, done).faults, [
    'status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block',
  ]);
  const pem = Buffer.from(certificate, 'base64').toString();
  const wrong: readonly [string, string][] = [
    [pem.replace('-----\n', '-----\nA: b\nC: d\n\n'), 'no PEM block headers are permitted'],
    [
      '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n',
      'found CERTIFICATE PEM block containing 0 certificates',
    ],
    [pem.replaceAll('CERTIFICATE', 'X'), 'only CERTIFICATE PEM blocks are allowed, found "X"'],
  ];
  for (const [given, text] of wrong)
    t.same(changed(part('status'), { conditions, certificate: toBase64(given) }, done).faults, [
      `status.certificate: Invalid value: "<certificate data>": ${text}`,
    ]);
  const issued = object(good, { conditions, certificate });
  const other = toBase64((await issueServing(authority, ['x'])).certificate);
  t.same(changed(part('status'), { conditions, certificate: other }, issued).faults, [
    'status.certificate: Forbidden: updates may not modify existing certificate content',
  ]);
  t.same(changed(part('approval'), { conditions, certificate: other }, done), { status: { conditions }, faults: [] });
  t.same(
    changed(rules.strategy, {}, issued),
    { status: issued['status'], faults: [] },
    'the main endpoint changes nothing',
  );
});
