/** ConfigMaps and Secrets: validation errors and warnings. */
import { texts } from '../../../kinds/kubernetes/fault-table.js';
import { causes } from './causes.js';

causes('configmaps', [
  {
    name: 'invalid keys of a ConfigMap',
    given: { data: { 'a b': '' }, binaryData: { 'c d': '', 'a b': '' } },
    expect: [
      `data[a b]: Invalid value: "a b": ${texts.configKey}`,
      'data[a b]: Invalid value: "a b": duplicate of key present in binaryData',
      `binaryData[a b]: Invalid value: "a b": ${texts.configKey}`,
      `binaryData[c d]: Invalid value: "c d": ${texts.configKey}`,
    ],
  },
  {
    name: 'a key in data and binaryData',
    given: { data: { a: '' }, binaryData: { a: '' } },
    expect: ['data[a]: Invalid value: "a": duplicate of key present in binaryData'],
  },
  {
    name: 'ConfigMap: immutable is reset',
    given: { immutable: true, data: { a: 'b' }, binaryData: { c: '' } },
    patch: { immutable: false },
    expect: ['immutable: Forbidden: field is immutable when `immutable` is set'],
  },
  {
    name: 'ConfigMap: immutable is reset and data changes',
    given: { immutable: true, data: { a: 'b' }, binaryData: { c: '' } },
    patch: { immutable: null, data: { a: 'c' }, binaryData: { c: 'eA==' } },
    expect: [
      'immutable: Forbidden: field is immutable when `immutable` is set',
      'data: Forbidden: field is immutable when `immutable` is set',
      'binaryData: Forbidden: field is immutable when `immutable` is set',
    ],
  },
  {
    name: 'ConfigMap: immutable data changes',
    given: { immutable: true, data: { a: 'b' }, binaryData: { c: '' } },
    patch: { data: { a: 'c' } },
    expect: ['data: Forbidden: field is immutable when `immutable` is set'],
  },
  {
    name: 'ConfigMap: labels change',
    given: { immutable: true, data: { a: 'b' }, binaryData: { c: '' } },
    patch: { metadata: { labels: { a: 'b' } } },
    expect: [],
  },
]);

causes('secrets', [
  {
    name: 'no certificate',
    given: { type: 'kubernetes.io/tls', data: {} },
    expect: ['data[tls.crt]: Required value', 'data[tls.key]: Required value'],
  },
  {
    name: 'no key',
    given: { type: 'kubernetes.io/tls', data: { 'tls.crt': 'eA==' } },
    expect: ['data[tls.key]: Required value'],
  },
  {
    name: 'no registry settings',
    given: { type: 'kubernetes.io/dockerconfigjson' },
    expect: ['data[.dockerconfigjson]: Required value'],
  },
  {
    name: 'registry settings that are not JSON',
    given: { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'e3g=' } },
    expect: [
      'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": invalid character \'x\' looking for beginning of object key string',
    ],
  },
  {
    name: 'empty registry settings',
    given: { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': '' } },
    expect: ['data[.dockercfg]: Invalid value: "<secret contents redacted>": unexpected end of JSON input'],
  },
  {
    name: 'no user',
    given: { type: 'kubernetes.io/basic-auth' },
    expect: ['data[username]: Required value', 'data[password]: Required value'],
  },
  {
    name: 'a user without a password',
    given: { type: 'kubernetes.io/basic-auth', data: { username: '' } },
    expect: [],
  },
  {
    name: 'no SSH key',
    given: { type: 'kubernetes.io/ssh-auth', data: { 'ssh-privatekey': '' } },
    expect: ['data[ssh-privatekey]: Required value'],
  },
  {
    name: 'no service account',
    given: { type: 'kubernetes.io/service-account-token' },
    expect: ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
  },
  {
    name: 'keys',
    given: { data: { 'a b': '', '..': '', '.': '', '..x': '' } },
    expect: [
      'data[.]: Invalid value: ".": must not be \'.\'',
      'data[..]: Invalid value: "..": must not be \'..\'',
      'data[..x]: Invalid value: "..x": must not start with \'..\'',
      `data[a b]: Invalid value: "a b": ${texts.configKey}`,
    ],
  },
  {
    name: 'stringData with an invalid key',
    given: { stringData: { 'a b': 'x' } },
    expect: [`data[a b]: Invalid value: "a b": ${texts.configKey}`],
  },
  {
    name: 'Secret: immutable is reset',
    given: { immutable: true, data: { a: 'Yg==' } },
    patch: { immutable: false },
    expect: ['immutable: Forbidden: field is immutable when `immutable` is set'],
  },
  {
    name: 'Secret: immutable is reset and data changes',
    given: { immutable: true, data: { a: 'Yg==' } },
    patch: { immutable: null, data: { a: 'eA==' } },
    expect: [
      'immutable: Forbidden: field is immutable when `immutable` is set',
      'data: Forbidden: field is immutable when `immutable` is set',
    ],
  },
  {
    name: 'Secret: immutable stringData changes',
    given: { immutable: true, data: { a: 'Yg==' } },
    patch: { stringData: { a: 'z' } },
    expect: ['data: Forbidden: field is immutable when `immutable` is set'],
  },
  {
    name: 'Secret: immutable data is removed',
    given: { immutable: true, data: { a: 'Yg==' } },
    patch: { data: null },
    expect: ['data: Forbidden: field is immutable when `immutable` is set'],
  },
  {
    name: 'Secret: the type changes',
    given: { data: { a: 'Yg==' } },
    patch: { type: 'kubernetes.io/tls' },
    expect: [
      'type: Invalid value: "kubernetes.io/tls": field is immutable',
      'data[tls.crt]: Required value',
      'data[tls.key]: Required value',
    ],
  },
  {
    name: 'Secret: an update without a type keeps it',
    given: { data: { a: 'Yg==' } },
    patch: { type: null },
    expect: [],
  },
]);
