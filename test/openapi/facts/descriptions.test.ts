import t from 'tap';
import { nativeDescription } from '../../../openapi/facts/descriptions.js';
import { nativeSchema, nativeTypeNames } from '../../../openapi/facts/native-schemas.js';

const core = 'io.k8s.api.core.v1';

t.test('types and fields have descriptions', t => {
  const cases: readonly { name: string; type: string; field?: string; expect: string | undefined }[] = [
    { name: 'a type', type: `${core}.Container`, expect: 'A single application container that you want to run' },
    { name: 'a field that is a value', type: `${core}.ContainerPort`, field: 'protocol', expect: 'Protocol for port.' },
    { name: 'a field that is a type', type: `${core}.Container`, field: 'resources', expect: 'Compute Resources' },
    { name: 'a kind of a later release', type: 'io.k8s.api.resource.v1.DeviceClass', expect: 'DeviceClass is a' },
    {
      name: 'a field that is a keyword of TypeScript',
      type: 'io.k8s.api.networking.v1.NetworkPolicyIngressRule',
      field: 'from',
      expect: 'from is a list of sources',
    },
    {
      name: 'a kind that exists in two groups',
      type: 'io.k8s.api.events.v1.Event',
      field: 'note',
      expect: 'note is a human-readable',
    },
    {
      name: 'a field of a type that is a value',
      type: 'io.k8s.api.apps.v1.RollingUpdateDeployment',
      field: 'maxSurge',
      expect: 'The maximum number of pods',
    },
    {
      name: 'a type that is a value',
      type: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
      expect: 'IntOrString is a type',
    },
    {
      name: 'metadata without a description of its own',
      type: 'io.k8s.api.networking.v1.IPAddress',
      field: 'metadata',
      expect: "Standard object's metadata.",
    },
    { name: 'a property of Object.prototype', type: `${core}.Pod`, field: 'constructor', expect: undefined },
    { name: 'an unknown type', type: 'io.example.Nothing', field: 'metadata', expect: "Standard object's metadata." },
    { name: 'an unknown field', type: `${core}.Pod`, field: 'nothing', expect: undefined },
  ];
  for (const { name, type, field, expect } of cases) {
    const text = nativeDescription(type, field);
    if (expect === undefined) t.equal(text, undefined, name);
    else t.ok(text?.startsWith(expect), `${name}: ${text}`);
  }
  t.end();
});

t.test('paragraphs are kept', t => {
  const text = nativeDescription('io.k8s.api.admissionregistration.v1.ValidatingWebhook', 'matchConditions') ?? '';
  t.match(text, '\n\nThe exact matching logic is (in order):\n  1. If ANY');
  t.end();
});

t.test('nearly all fields have a description', t => {
  // Kubernetes does not describe most fields of JSON schemas.
  const types = nativeTypeNames().filter(type => !type.includes('.apiextensions.'));
  const fields = types.flatMap(type =>
    Object.keys(nativeSchema(type).properties ?? {}).map(field => nativeDescription(type, field)),
  );
  const known = fields.filter(text => text !== undefined).length;
  t.ok(known / fields.length > 0.94, `${known} of ${fields.length}`);
  t.end();
});
