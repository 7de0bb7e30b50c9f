import t from 'tap';
import { type FaultCase, faultTable } from '../../fault-table.js';

const container = { name: 'c', image: 'nginx:1.27' };
const sound = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'space' },
  spec: { containers: [container], serviceAccountName: 'default' },
};
const annotated = (key: string, value: string): object => ({ metadata: { annotations: { [key]: value } } });
const spec = (fields: object): object => ({ spec: fields });
const tolerations = 'scheduler.alpha.kubernetes.io/tolerations';
const cost = 'controller.kubernetes.io/pod-deletion-cost';

const created: readonly FaultCase[] = [
  { name: 'a valid pod', given: {}, expect: [] },
  {
    name: 'tolerations of an annotation',
    given: annotated(tolerations, '[{"key":"a b","operator":"Exists"},{"Key":"x","value":"v"}]'),
    expect: [
      [
        `metadata.annotations.${tolerations}[0].key`,
        `Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      ],
    ],
  },
  {
    name: 'tolerations that are not JSON',
    given: annotated(tolerations, 'x'),
    expect: [
      ['metadata.annotations', `Invalid value: "${tolerations}": invalid character 'x' looking for beginning of value`],
    ],
  },
  {
    name: 'tolerations that are not a list',
    given: annotated(tolerations, '{}'),
    expect: [
      [
        'metadata.annotations',
        `Invalid value: "${tolerations}": json: cannot unmarshal object into Go value of type []core.Toleration`,
      ],
    ],
  },
  {
    name: 'a field of a toleration with a wrong type',
    given: annotated(tolerations, '[{"operator":1}]'),
    expect: [
      [
        'metadata.annotations',
        `Invalid value: "${tolerations}": json: cannot unmarshal number into Go struct field Toleration.Operator of type core.TolerationOperator`,
      ],
    ],
  },
  ...['-0', '-05', '0', '2147483647'].map(text => ({
    name: `a deletion cost of ${text}`,
    given: annotated(cost, text),
    expect: [],
  })),
  ...['05', '+1', '2147483648', ''].map(text => ({
    name: `a deletion cost of "${text}"`,
    given: annotated(cost, text),
    expect: [[`metadata.annotations[${cost}]`, `Invalid value: "${text}": must be a 32bit integer`]] as const,
  })),
  {
    name: 'a change of SELinux labels behind a feature gate',
    given: spec({ securityContext: { seLinuxChangePolicy: 'MountOption' } }),
    expect: [
      ['spec.securityContext.seLinuxChangePolicy', 'Unsupported value: "MountOption": supported values: "Recursive"'],
    ],
  },
  {
    name: 'a signal behind a feature gate, the only field of its object',
    given: spec({ containers: [{ ...container, lifecycle: { stopSignal: 'SIGTERM' } }] }),
    expect: [],
    leaves: { spec: { containers: [{ ...container, ...filled() }] } },
  },
  {
    name: 'resources of the whole pod below those of its containers',
    given: spec({
      resources: { requests: { cpu: '1' } },
      containers: [{ ...container, resources: { requests: { cpu: '2' } } }],
    }),
    expect: [
      [
        'spec.resources.requests[cpu]',
        'Invalid value: "1": must be greater than or equal to aggregate container requests of 2',
      ],
    ],
  },
  {
    name: 'a toleration for a time without NoExecute',
    given: spec({ tolerations: [{ key: 'k', operator: 'Exists', tolerationSeconds: 1 }] }),
    expect: [
      ['spec.tolerations[0].effect', `Invalid value: "": effect must be 'NoExecute' when \`tolerationSeconds\` is set`],
    ],
  },
];

function filled(): object {
  return {
    resources: {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  };
}

const changed: readonly FaultCase[] = [
  {
    name: 'a stored change of SELinux labels allows both',
    old: spec({ securityContext: { seLinuxChangePolicy: 'MountOption' } }),
    given: spec({ activeDeadlineSeconds: 5 }),
    expect: [],
  },
  {
    name: 'a stored pod with a user namespace on the network of the host stays so',
    old: spec({ hostUsers: false, hostNetwork: true }),
    given: { metadata: { labels: { a: 'b' } } },
    expect: [],
  },
  {
    name: 'the deadline cannot be extended',
    old: spec({ activeDeadlineSeconds: 5 }),
    given: spec({ activeDeadlineSeconds: 6 }),
    expect: [['spec.activeDeadlineSeconds', 'Invalid value: 6: must be less than or equal to previous value']],
  },
];

const id = 'status.containerStatuses[0]';
const status = (fields: object): object => ({ status: fields });
const ofContainer = (fields: object): object => status({ containerStatuses: [{ name: 'c', ...fields }] });

const written: readonly FaultCase[] = [
  {
    name: 'users of containers',
    given: ofContainer({ user: { linux: { uid: -1, gid: 0, supplementalGroups: [-5] } } }),
    expect: [
      [`${id}.user.linux.uid`, 'Invalid value: -1: must be between 0 and 2147483647, inclusive'],
      [`${id}.user.linux.supplementalGroups[0]`, 'Invalid value: -5: must be between 0 and 2147483647, inclusive'],
    ],
  },
  {
    name: 'devices of containers',
    given: ofContainer({
      allocatedResourcesStatus: [
        {
          name: 'claim:x',
          resources: [
            { resourceID: 'a', health: 'Bad', message: '' },
            { resourceID: 'a', health: 'Healthy' },
          ],
        },
        { name: 'example.com/gpu' },
      ],
    }),
    expect: [
      [
        `${id}.allocatedResourcesStatus[0].name`,
        `Invalid value: "claim:x": must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty`,
      ],
      [
        `${id}.allocatedResourcesStatus[0].resources[0].health`,
        'Unsupported value: "Bad": supported values: "Healthy", "Unhealthy", "Unknown"',
      ],
      [`${id}.allocatedResourcesStatus[0].resources[0].message`, 'Required value: must be non-empty if specified'],
      [`${id}.allocatedResourcesStatus[0].resources[1].resourceID`, 'Duplicate value: "a"'],
      [
        `${id}.allocatedResourcesStatus[1].name`,
        `Invalid value: "example.com/gpu": must match one of the container's resource requests`,
      ],
    ],
  },
  {
    name: 'claims for extended resources',
    given: status({
      extendedResourceClaimStatus: {
        requestMappings: [
          { containerName: 'c', resourceName: 'example.com/gpu', requestName: 'r' },
          { containerName: 'x', resourceName: 'example.com/gpu', requestName: 'R' },
        ],
        resourceClaimName: '',
      },
    }),
    expect: [
      [
        'status.extendedResourceClaimStatus.requestMappings[0].resourceName',
        'Invalid value: "example.com/gpu": must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests',
      ],
      [
        'status.extendedResourceClaimStatus.requestMappings[1].containerName',
        'Invalid value: "x": must match the name of an entry in spec.initContainers.name or spec.containers.name',
      ],
      [
        'status.extendedResourceClaimStatus.requestName',
        `Invalid value: "R": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
      ],
      ['status.extendedResourceClaimStatus.resourceClaimName', 'Required value'],
    ],
  },
  {
    name: 'digests of images are behind a feature gate',
    given: ofContainer({ volumeMounts: [{ name: 'v', mountPath: '/v', volumeStatus: { image: { imageRef: 'x' } } }] }),
    expect: [],
    leaves: ofContainer({ volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
  },
  {
    name: 'addresses in another notation',
    given: status({ podIP: '2001:DB8::1', podIPs: [{ ip: '2001:DB8::1' }] }),
    expect: [],
    warnings: [
      'status.podIPs[0].ip: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
    ],
  },
  {
    name: 'two addresses of one family',
    given: status({ podIP: '1.1.1.1', podIPs: [{ ip: '1.1.1.1' }, { ip: '1.1.1.2' }] }),
    expect: [
      [
        'status.podIPs',
        'Invalid value: [{"IP":"1.1.1.1"},{"IP":"1.1.1.2"}]: may specify no more than one IP for each IP family',
      ],
    ],
  },
  {
    name: 'an invalid address',
    given: status({
      ...{ podIP: '1.1.1.1', podIPs: [{ ip: '1.1.1.1' }, { ip: 'x' }] },
      ...{ hostIP: '1.1.1.1', hostIPs: [{ ip: '1.1.1.1' }, { ip: '' }] },
    }),
    expect: [
      ['status.podIPs[1]', 'Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
      ['status.podIPs', 'Internal error: failed to check for dual stack with error:invalid IP[1]: x'],
      [
        'status.podIPs',
        'Invalid value: [{"IP":"1.1.1.1"},{"IP":"x"}]: may specify no more than one IP for each IP family',
      ],
      ['status.hostIPs[1]', 'Invalid value: "": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
      ['status.hostIPs', 'Internal error: failed to check for dual stack with error:invalid IP[1]: '],
      [
        'status.hostIPs',
        'Invalid value: [{"IP":"1.1.1.1"},{"IP":""}]: may specify no more than one IP for each IP family',
      ],
    ],
  },
];
const statuses = written.map(each => ({ ...each, part: 'status' }));

t.test('new pods are validated', async t => faultTable(t, ['', 'Pod'], sound, created));
t.test('updated pods are validated', async t => faultTable(t, ['', 'Pod'], sound, changed));
t.test('statuses of pods are validated', async t => faultTable(t, ['', 'Pod'], sound, statuses));
