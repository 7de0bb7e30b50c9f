/** ResourceClaims, DeviceClasses and ResourceSlices: validation errors and warnings. */
import { texts } from '../../../kinds/kubernetes/fault-table.js';
import { causes } from './causes.js';

causes('resourceclaims', [
  {
    name: 'claim: invalid values',
    given: {
      spec: {
        devices: {
          requests: [
            { name: '' },
            { name: 'a' },
            {
              name: 'a',
              exactly: {
                deviceClassName: 'A_',
                allocationMode: 'X',
                count: -1,
                selectors: [{}, { cel: { expression: 'x' } }],
                tolerations: [{ operator: 'X' }],
              },
            },
            { name: 'b', exactly: { deviceClassName: 'c' }, firstAvailable: [{ name: 'd', deviceClassName: 'c' }] },
          ],
          constraints: [{ requests: ['x'], matchAttribute: 'a' }, {}],
          config: [{ requests: ['x'] }, { opaque: { driver: 'A_', parameters: [] } }],
        },
      },
    },
    expect: [
      `spec.devices.requests[0].name: Invalid value: "": ${texts.dns1123Label}`,
      'spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required',
      'spec.devices.requests[1]: Required value: exactly one of `exactly` or `firstAvailable` is required',
      `spec.devices.requests[2].exactly.deviceClassName: Invalid value: "A_": ${texts.dns1123Subdomain}`,
      'spec.devices.requests[2].exactly.selectors[0].cel: Required value',
      "spec.devices.requests[2].exactly.selectors[1].cel.expression: Invalid value: \"x\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x\n | ^",
      'spec.devices.requests[2].exactly.allocationMode: Unsupported value: "X": supported values: "All", "ExactCount"',
      'spec.devices.requests[2].exactly.tolerations[0].operator: Unsupported value: "X": supported values: "Equal", "Exists"',
      'spec.devices.requests[3]: Invalid value: null: exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set',
      'spec.devices.requests[2]: Duplicate value: "a"',
      'spec.devices.constraints[0].requests[0]: Invalid value: "x": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
      'spec.devices.constraints[0].matchAttribute: Invalid value: "a": a fully qualified name must be a domain and a name separated by a slash',
      'spec.devices.constraints[1]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
      'spec.devices.config[0].requests[0]: Invalid value: "x": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
      'spec.devices.config[0].opaque: Required value',
      `spec.devices.config[1].opaque.driver: Invalid value: "A_": ${texts.dns1123Subdomain}`,
      'spec.devices.config[1].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object',
    ],
  },
  {
    name: 'claim: immutable fields',
    given: { spec: { devices: { requests: [{ name: 'a', exactly: { deviceClassName: 'c' } }] } } },
    patch: { spec: { devices: { requests: [{ name: 'b', exactly: { deviceClassName: 'c' } }] } } },
    expect: [
      'spec: Invalid value: {"Devices":{"Requests":[{"Name":"b","Exactly":{"DeviceClassName":"c","Selectors":null,"AllocationMo…',
    ],
  },
]);

causes('deviceclasses', [
  {
    name: 'device class: invalid values',
    given: { spec: { selectors: [{}, { cel: { expression: '1' } }], config: [{}], extendedResourceName: 'a' } },
    expect: [
      'spec.selectors[0].cel: Required value',
      'spec.selectors[1].cel.expression: Invalid value: "1": must evaluate to bool or the unknown type, not int',
      'spec.config[0].opaque: Required value',
      'spec.extendedResourceName: Invalid value: "a": must be a valid extended resource name',
    ],
  },
]);

causes('resourceslices', [
  {
    name: 'slice: invalid values',
    given: {
      spec: {
        driver: '',
        pool: { name: '', generation: -1, resourceSliceCount: 0 },
        nodeName: 'A_',
        allNodes: true,
        devices: [
          { name: 'A' },
          {
            name: 'a',
            attributes: { 'a b': { int: 1, bool: true }, v: { version: 'x' } },
            capacity: { 'a b': { value: '1' } },
            taints: [{ key: 'a b', effect: 'X' }],
          },
          { name: 'a' },
        ],
      },
    },
    expect: [
      'spec.driver: Required value',
      'spec.pool.name: Required value',
      'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero',
      'spec.pool.generation: Invalid value: -1: must be greater than or equal to zero',
      `spec.nodeName: Invalid value: "A_": ${texts.dns1123Subdomain}`,
      'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set',
      `spec.devices[0].name: Invalid value: "A": ${texts.dns1123Label}`,
      "spec.devices[1].attributes: Invalid value: \"a b\": a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')",
      'spec.devices[1].attributes[a b]: Invalid value: {"IntValue":1,"BoolValue":true,"StringValue":null,"VersionValue":null,"IntValues":null,"BoolValues":null,"StringValues":null,"VersionValues":null}: exactly one value must be specified',
      'spec.devices[1].attributes[v].version: Invalid value: "x": must be a string compatible with semver.org spec 2.0.0',
      "spec.devices[1].capacity: Invalid value: \"a b\": a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')",
      `spec.devices[1].taints[0].key: Invalid value: "a b": ${texts.namePart}`,
      'spec.devices[1].taints[0].effect: Unsupported value: "X": supported values: "NoExecute", "NoSchedule", "None"',
      'spec.devices[2]: Duplicate value: "a"',
    ],
  },
  {
    name: 'slice: without a node',
    given: { spec: { driver: 'a', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } } },
    expect: [
      'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
    ],
  },
  {
    name: 'slice: a driver in upper case',
    given: { spec: { driver: 'A.b', nodeName: 'n', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } } },
    expect: [],
    warnings: ['spec.driver: driver names should be lowercase; "A.b" contains uppercase characters'],
  },
]);
