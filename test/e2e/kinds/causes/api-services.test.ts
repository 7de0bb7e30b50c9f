/** APIServices: validation errors and warnings. */
import { servedElsewhere } from '../manifests.js';
import { causes } from './causes.js';

causes('apiservices', [
  {
    name: 'API: a wrong name',
    given: { metadata: { name: 'v1.x' }, spec: servedElsewhere },
    expect: ['metadata.name: Invalid value: "v1.x": must be `spec.version+"."+spec.group`: "v1.a.b"'],
  },
  {
    name: 'API: numbers',
    given: {
      metadata: { name: 'v1.a.b' },
      spec: {
        ...servedElsewhere,
        service: { name: '', namespace: '', port: 0 },
        groupPriorityMinimum: 20001,
        versionPriority: 1001,
        caBundle: 'eA==',
      },
    },
    expect: [
      'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
      'spec.versionPriority: Invalid value: 1001: must be positive and less than 1000',
      'spec.service.namespace: Required value',
      'spec.service.name: Required value',
      'spec.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
      'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
    ],
  },
  {
    name: 'API: a CA bundle of a local API',
    given: {
      metadata: { name: 'v1.a.b' },
      spec: { group: 'a.b', version: 'v1', groupPriorityMinimum: 0, versionPriority: 0, insecureSkipTLSVerify: true },
    },
    expect: [
      'spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000',
      'spec.versionPriority: Invalid value: 0: must be positive and less than 1000',
      'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
    ],
  },
]);
