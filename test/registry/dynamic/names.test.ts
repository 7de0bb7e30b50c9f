import t from 'tap';
import { acceptNames } from '../../../registry/dynamic/accept-names.js';
import { type CrdCondition, type Names, asDefinition, withCrdCondition } from '../../../registry/dynamic/crd.js';
import { serve } from '../serve.js';
import { condition, crds, definition, until } from './definitions.js';

const other = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['w'] };

t.test('names in use by another CRD are not accepted', t => {
  const own = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' };
  const established = { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'm' };
  const cases: readonly {
    name: string;
    wants: object;
    had?: object;
    others?: Names[];
    expect: { names: object; accepted: string; established: string };
  }[] = [
    {
      name: 'free names',
      wants: { ...own, shortNames: ['g'], categories: ['all'] },
      expect: {
        names: { ...own, shortNames: ['g'], categories: ['all'] },
        accepted: 'True NoConflicts no conflicts found',
        established: 'True InitialNamesAccepted',
      },
    },
    {
      name: 'a plural that another CRD has as a short name',
      wants: { ...own, plural: 'w' },
      expect: {
        names: { ...own, plural: '' },
        accepted: 'False PluralConflict "w" is already in use',
        established: 'False NotAccepted',
      },
    },
    {
      name: 'short names in use',
      wants: { ...own, shortNames: ['w', 'widget', 'g'] },
      expect: {
        names: own,
        accepted: 'False ShortNamesConflict ["w" is already in use, "widget" is already in use]',
        established: 'False NotAccepted',
      },
    },
    {
      name: 'names of kinds and resources do not conflict with each other; the last conflict is reported',
      wants: { ...own, kind: 'widgets', listKind: 'Widget' },
      expect: {
        names: { plural: 'gadgets', singular: 'gadget', kind: 'widgets' },
        accepted: 'False ListKindConflict "Widget" is already in use',
        established: 'False NotAccepted',
      },
    },
    {
      name: 'an accepted name is kept, and the CRD stays established',
      wants: { ...own, singular: 'widget' },
      had: { acceptedNames: own, conditions: [established] },
      expect: {
        names: own,
        accepted: 'False SingularConflict "widget" is already in use',
        established: 'True InitialNamesAccepted',
      },
    },
    {
      name: 'an accepted name is not checked again',
      wants: { ...own, plural: 'widgets', categories: ['c'] },
      had: { acceptedNames: { ...own, plural: 'widgets' }, conditions: [established] },
      expect: {
        names: { ...own, plural: 'widgets', categories: ['c'] },
        accepted: 'True NoConflicts no conflicts found',
        established: 'True InitialNamesAccepted',
      },
    },
  ];
  const others = [asDefinition({ ...definition({ names: other }), status: { acceptedNames: other } })];
  for (const { name, wants, had, expect } of cases) {
    const got = acceptNames(asDefinition({ ...definition({ names: wants }), ...(had && { status: had }) }), others);
    t.same(got?.acceptedNames, expect.names, name);
    const [accepted, est] = got?.conditions ?? [];
    t.equal(`${accepted?.status} ${accepted?.reason} ${accepted?.message}`, expect.accepted, name);
    t.equal(`${est?.status} ${est?.reason}`, expect.established, name);
  }
  const settled = { acceptedNames: own, conditions: [established] };
  t.equal(acceptNames(asDefinition({ ...definition({ names: own }), status: settled }), others), undefined);
  t.end();
});

t.test('a name is accepted when the CRD with it is deleted', async t => {
  const { client, catalogue } = await serve(t);
  await client.create(crds, definition());
  await until(client, event => condition(event, 'Established').startsWith('True'));
  const names = { plural: 'gadgets', kind: 'Widget', listKind: 'GadgetList' };
  await client.create(crds, definition({ names }, { name: 'gadgets.example.com' }));
  const refused = await until(client, event => condition(event, 'NamesAccepted') !== 'none', 'gadgets.example.com');
  t.equal(condition({ object: refused }, 'NamesAccepted'), 'False KindConflict');
  t.equal(condition({ object: refused }, 'Established'), 'False NotAccepted');
  t.equal(catalogue.byPlural('example.com', 'gadgets'), undefined);
  await client.delete(crds, { name: 'widgets.example.com' });
  await until(client, event => condition(event, 'Established').startsWith('True'), 'gadgets.example.com');
  t.ok(catalogue.byPlural('example.com', 'gadgets'));
});

t.test('protected groups need an approval annotation', async t => {
  const { client } = await serve(t);
  const approved = { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/kubernetes/pull/1' };
  const of = (name: string, annotations: object) =>
    definition(
      { group: 'x.k8s.io', names: { plural: name, kind: name.toUpperCase() } },
      { name: `${name}.x.k8s.io`, annotations },
    );
  for (const [name, annotations, expect] of [
    ['good', approved, 'True ApprovedAnnotation'],
    ['vague', { 'api-approved.kubernetes.io': 'unapproved, an experiment' }, 'False UnapprovedAnnotation'],
  ] as const) {
    await client.create(crds, of(name, annotations));
    const key = 'KubernetesAPIApprovalPolicyConformant';
    const seen = await until(client, event => condition(event, key) !== 'none', `${name}.x.k8s.io`);
    t.equal(condition({ object: seen }, key), expect, name);
  }
});

t.test('conditions of other writers are kept', t => {
  const old = {
    type: 'Established',
    status: 'True',
    lastTransitionTime: 'then',
    reason: 'A',
    message: 'm',
    observedGeneration: 3,
  };
  const next = { type: 'Established', status: 'True', reason: 'B', message: 'n' } as const;
  t.same(withCrdCondition([old] as CrdCondition[], next, 'now'), [{ ...old, reason: 'B', message: 'n' }]);
  t.same(withCrdCondition(null, next, 'now'), [{ ...next, lastTransitionTime: 'now' }]);
  t.end();
});
