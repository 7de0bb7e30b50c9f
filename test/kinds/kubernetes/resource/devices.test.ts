import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import type { Client } from '../../../../client/interface.js';
import { namespaces, serve, causes } from '../../../registry/serve.js';

const namespace = 'default';
const of = (resource: string) => ({ group: 'resource.k8s.io', version: 'v1', resource });
const kinds: Record<string, string> = {
  resourceclaims: 'ResourceClaim',
  resourceclaimtemplates: 'ResourceClaimTemplate',
  deviceclasses: 'DeviceClass',
  resourceslices: 'ResourceSlice',
};

const object = (resource: string, spec: object, name = 'a'): KubeObject => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: kinds[resource] ?? '',
  metadata: { name, ...(resource.startsWith('resourceclaim') && { namespace }) },
  spec,
});

const create = (client: Client, resource: string, spec: object): Promise<string[]> =>
  causes(client.create(of(resource), object(resource, spec), { dryRun: true }));

const exactly = (more: object = {}): object => ({
  deviceClassName: 'gpu',
  allocationMode: 'ExactCount',
  count: 1,
  ...more,
});
const claim = (request: object): object => ({ devices: { requests: [{ name: 'r', ...request }] } });

t.test('requests of claims are validated', async t => {
  const { client } = await serve(t);
  const of = (request: object): Promise<string[]> => create(client, 'resourceclaims', claim(request));
  t.same(await of({ exactly: exactly() }), []);
  t.same(await of({ exactly: { deviceClassName: 'gpu' } }), [], 'one device is the default');
  t.same(await of({}), [
    'spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required',
  ]);
  t.same(await of({ exactly: exactly({ deviceClassName: '', count: -1 }) }), [
    'spec.devices.requests[0].exactly.deviceClassName: Required value',
    'spec.devices.requests[0].exactly.count: Invalid value: -1: must be greater than zero',
  ]);
  t.same(await of({ exactly: exactly({ allocationMode: 'All', count: 2 }) }), [
    "spec.devices.requests[0].exactly.count: Invalid value: 2: must not be specified when allocationMode is 'All'",
  ]);
  t.same(await of({ exactly: exactly({ allocationMode: 'Some' }) }), [
    'spec.devices.requests[0].exactly.allocationMode: Unsupported value: "Some": supported values: "All", "ExactCount"',
  ]);
  const alternatives = [exactly(), exactly()].map(one => ({ name: 'x', ...one }));
  t.same(await of({ firstAvailable: alternatives }), [
    'spec.devices.requests[0].firstAvailable[1]: Duplicate value: "x"',
  ]);
  t.same(
    await of({ exactly: exactly({ tolerations: [{ key: 'a', operator: 'Exists', value: 'b', effect: 'Never' }] }) }),
    [
      'spec.devices.requests[0].exactly.tolerations[0].value: Invalid value: "b": must be empty for operator `Exists`',
      'spec.devices.requests[0].exactly.tolerations[0].effect: Unsupported value: "Never": supported values: "NoExecute", "NoSchedule", "None"',
    ],
  );
});

t.test('selectors of devices are validated', async t => {
  const { client } = await serve(t);
  const of = async (expression: string): Promise<string | undefined> =>
    (await create(client, 'deviceclasses', { selectors: [{ cel: { expression } }] }))[0];
  t.equal(await of("device.driver == 'a' && device.attributes['a.com'].model == 'x'"), undefined);
  t.equal(await of("device.capacity['a.com'].memory.isGreaterThan(quantity('1Gi'))"), undefined);
  t.match(
    await of('device.nothing'),
    /^spec.selectors\[0\].cel.expression: Invalid value: "device.nothing": compilation failed: .*undefined field 'nothing'/,
  );
  t.match(await of('1 + 1'), /must evaluate to bool or the unknown type, not int$/);
  const slow =
    'device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, a.contains(b + c + device.driver))))';
  t.match(await of(slow), /Forbidden: too complex, exceeds cost limit$/);
  t.same(await create(client, 'deviceclasses', { selectors: [{}], config: [{}], extendedResourceName: 'cpu' }), [
    'spec.selectors[0].cel: Required value',
    'spec.config[0].opaque: Required value',
    'spec.extendedResourceName: Invalid value: "cpu": must be a valid extended resource name',
  ]);
});

t.test('constraints and configuration are validated', async t => {
  const { client } = await serve(t);
  const requests = [{ name: 'r', exactly: exactly() }];
  const spec = (more: object): object => ({ devices: { requests, ...more } });
  t.same(
    await create(client, 'resourceclaims', spec({ constraints: [{ requests: ['q'], matchAttribute: 'model' }, {}] })),
    [
      'spec.devices.constraints[0].requests[0]: Invalid value: "q": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
      'spec.devices.constraints[0].matchAttribute: Invalid value: "model": a fully qualified name must be a domain and a name separated by a slash',
      'spec.devices.constraints[1]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
    ],
  );
  const opaque = { driver: 'a.com', parameters: { x: 'y'.repeat(11_000) } };
  t.same(await create(client, 'resourceclaims', spec({ config: [{ opaque }] })), [
    'spec.devices.config[0].opaque.parameters: Too long: may not be more than 10240 bytes',
  ]);
});

t.test('claims and their templates are immutable', async t => {
  const { client } = await serve(t);
  for (const resource of ['resourceclaims', 'resourceclaimtemplates']) {
    const spec = (request: object): object =>
      resource === 'resourceclaims' ? claim(request) : { spec: claim(request) };
    const made = await client.create(of(resource), object(resource, spec({ exactly: exactly() })));
    const found = await causes(
      client.update(of(resource), { ...made, spec: spec({ exactly: exactly({ count: 2 }) }) }),
    );
    t.equal(found.length, 1);
    t.match(found[0], /^spec: Invalid value: \{.*"Count":2.*\}: field is immutable$/);
  }
});

t.test('admin access needs a label of the namespace', async t => {
  const { client } = await serve(t);
  const asks = claim({ exactly: exactly({ adminAccess: true }) });
  const path = 'spec.devices.requests[0].adminAccess';
  t.same(await create(client, 'resourceclaims', asks), [
    `${path}: Internal error: could not retrieve namespace to verify admin access: namespaces "default" not found`,
  ]);
  const made = await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  t.same(await create(client, 'resourceclaims', asks), [
    `${path}: Forbidden: admin access to devices requires the \`resource.kubernetes.io/admin-access: true\` label on the containing namespace`,
  ]);
  const labels = { 'resource.kubernetes.io/admin-access': 'true' };
  await client.update(namespaces, { ...made, metadata: { ...made.metadata, labels } });
  t.same(await create(client, 'resourceclaims', asks), []);
});

t.test('statuses of claims are validated', async t => {
  const { client } = await serve(t);
  const claims = of('resourceclaims');
  const made = await client.create(claims, object('resourceclaims', claim({ exactly: exactly() })));
  const device = { driver: 'a.com', pool: 'p', device: 'd' };
  const result = { request: 'r', ...device };
  const status = async (wanted: object): Promise<string[]> => {
    const live = await client.get(claims, { namespace, name: 'a' });
    return causes(client.update(claims, { ...live, status: wanted }, { subresource: 'status' }));
  };
  const consumer = { resource: 'pods', name: 'x', uid: '1' };
  t.same(await status({ reservedFor: [consumer, consumer] }), [
    'status.reservedFor[1]: Duplicate value: "1"',
    'status.reservedFor: Forbidden: may not be specified when `allocated` is not set',
  ]);
  t.same(await status({ allocation: { devices: { results: [{ ...result, request: 'q', pool: '', device: 'D' }] } } }), [
    'status.allocation.devices.results[0].request: Invalid value: "q": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
    'status.allocation.devices.results[0].pool: Required value',
    "status.allocation.devices.results[0].device: Invalid value: \"D\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  ]);
  const allocation = { devices: { results: [result] } };
  t.same(
    await status({ allocation, reservedFor: [consumer], devices: [{ ...device, networkData: { ips: ['10.0.0.1'] } }] }),
    [
      'status.devices[0].networkData.ips[0]: Invalid value: "10.0.0.1": must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)',
    ],
  );
  t.same(await status({ allocation, reservedFor: [consumer], devices: [device] }), []);
  const moved = { devices: { results: [{ ...result, device: 'e' }] } };
  t.match(await status({ allocation: moved }), [/^status.allocation: Invalid value: .*: field is immutable$/]);
  t.same(await status({ devices: [device] }), []);
  const { status: last } = (await client.get(claims, { namespace, name: 'a' })) as { status?: object } & KubeObject;
  t.same(last, {}, 'the device status is removed with its allocation');
  t.ok(made);
});

t.test('resource slices are validated', async t => {
  const { client, warnings } = await serve(t);
  const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };
  const slice = (more: object): Promise<string[]> =>
    create(client, 'resourceslices', { driver: 'a.com', pool, nodeName: 'n', ...more });
  t.same(await slice({ devices: [{ name: 'd', attributes: { model: { string: 'x' } } }] }), []);
  t.same(await create(client, 'resourceslices', { driver: '', pool: { name: '', resourceSliceCount: 0 } }), [
    'spec.driver: Required value',
    'spec.pool.name: Required value',
    'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero',
    'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
  ]);
  t.same(await slice({ allNodes: true, devices: [] }), [
    'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set',
  ]);
  const attributes = { 'a b': { bool: true }, v: { version: '1' }, none: {}, 'a.com/x': { int: 1, bool: true } };
  const found = await slice({ devices: [{ name: 'd', attributes }] });
  t.match(found, [
    /^spec.devices\[0\].attributes: Invalid value: "a b": /,
    /^spec.devices\[0\].attributes\[a.com\/x\]: Invalid value: \{"IntValue":1,"BoolValue":true,"StringValue":null,.*\}: exactly one value must be specified$/,
    'spec.devices[0].attributes[none]: Invalid value: "": exactly one value must be specified',
    'spec.devices[0].attributes[v].version: Invalid value: "1": must be a string compatible with semver.org spec 2.0.0',
  ]);
  t.same(await slice({ devices: [{ name: 'd', nodeName: 'n', bindingConditions: ['a'] }] }), [
    'spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
    'spec.devices[0].bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions',
  ]);
  const requestPolicy = { default: '3', validRange: { min: '1', max: '9', step: '3' } };
  t.same(await slice({ devices: [{ name: 'd', capacity: { c: { value: '8', requestPolicy } } }] }), [
    'spec.devices[0].capacity[c].requestPolicy: Forbidden: allowMultipleAllocations must be true',
  ]);
  const shared = { name: 'd', allowMultipleAllocations: true, capacity: { c: { value: '8', requestPolicy } } };
  t.same(await slice({ devices: [shared] }), [
    'spec.devices[0].capacity[c].requestPolicy.validRange.max: Invalid value: "9": max is larger than capacity value: 8',
    'spec.devices[0].capacity[c].requestPolicy.validRange.step: Invalid value: "3": value is not a multiple of a given step (3) from (1)',
    'spec.devices[0].capacity[c].requestPolicy.validRange.step: Invalid value: "9": value is not a multiple of a given step (3) from (1)',
  ]);
  await slice({ driver: 'A.com', devices: [] });
  t.same(warnings, ['spec.driver: driver names should be lowercase; "A.com" contains uppercase characters']);
});
