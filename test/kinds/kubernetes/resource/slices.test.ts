import t from 'tap';
import { type FaultCase, faultTable } from '../fault-table.js';

const sound = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: 's' },
  spec: { driver: 'd.example.com', nodeName: 'n', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } },
};
const devices = (...list: object[]): object => ({ spec: { devices: list } });
const at = 'spec.devices[0].attributes[a]';

const cases: readonly FaultCase[] = [
  {
    name: 'lists are behind a feature gate',
    given: devices({ name: 'd', attributes: { a: { ints: [1] } } }),
    expect: [[at, 'Invalid value: "": exactly one value must be specified']],
  },
  {
    name: 'stored lists allow lists',
    old: devices({ name: 'd', attributes: { a: { ints: [1] } } }),
    given: devices({ name: 'd', attributes: { a: { ints: [] }, b: { versions: ['x'] } } }),
    expect: [
      [`${at}.ints`, 'Invalid value: []: must not be empty if specified'],
      [
        'spec.devices[0].attributes[b].versions[0]',
        'Invalid value: "x": must be a string compatible with semver.org spec 2.0.0',
      ],
    ],
  },
  {
    name: 'node allocatable mappings are behind a feature gate',
    given: devices({ name: 'd', nodeAllocatableResourceMappings: { cpu: {} } }),
    expect: [],
    leaves: devices({ name: 'd' }),
  },
];

t.test('resource slices are prepared', async t => faultTable(t, ['resource.k8s.io', 'ResourceSlice'], sound, cases));
