// as pkg/apis/apps/validation ValidateStatefulSet*
import type { Validate } from '../../../registry/interface.js';
import { changedMetadata } from '../../../registry/strategy/metadata-rules.js';
import { sameValue } from '../../../registry/strategy/same-value.js';
import { checkDns1123Label } from '../../../apimachinery/meta/names.js';
import { labelFaults } from '../../../apimachinery/selectors/label-faults.js';
import { annotationFaults } from '../../../registry/strategy/metadata.js';
import { claimSpec } from '../core/volumes/claim-rules.js';
import { podAnnotations } from '../core/pod-spec/pod-annotation-rules.js';
import type { PodOptions } from '../core/shared/pod-options.js';
import { podTemplate, templateOptions } from '../core/pod-spec/pod-template-rules.js';
import { countsAreNatural, countsWithin, notDecremented } from '../../shared/rules/counts.js';
import { Field } from '../../shared/rules/field.js';
import { amountOf, intOrPercent, notMoreThanAll } from '../../shared/rules/int-or-percent.js';
import { shownInternal, shownSelector } from '../../shared/go-text/internal-json.js';
import { nonNegative } from '../../shared/rules/numbers.js';
import { validate, validateChange } from '../../shared/rules/validate.js';
import type {
  RollingUpdateStatefulSetStrategy,
  StatefulSet,
  StatefulSetSpec,
  StatefulSetUpdateStrategy,
} from '../../../api/kubernetes/apps.js';
import type { PodTemplateSpec } from '../../../api/kubernetes/core.js';
import { compiled, requiredSelector, selects } from './selector-rules.js';

/** What is not validated again, because it was accepted before. */
interface Skipped {
  readonly serviceName: boolean;
  readonly template: boolean;
  readonly claims: boolean;
}

const nothing: Skipped = { serviceName: false, template: false, claims: false };
const managements = ['OrderedReady', 'Parallel'];
const retentions = ['Retain', 'Delete'];

function spec(at: Field<StatefulSetSpec>, options: PodOptions, skipped: Skipped): void {
  const management = at.at('podManagementPolicy');
  if (management.isEmpty) management.required();
  else if (!managements.includes(management.value ?? '')) management.invalid("must be 'OrderedReady' or 'Parallel'");
  updateStrategy(at.at('updateStrategy'));
  const retention = at.at('persistentVolumeClaimRetentionPolicy');
  for (const when of ['whenDeleted', 'whenScaled'] as const)
    if (retention.isSet && !retentions.includes(retention.value?.[when] ?? ''))
      retention.at(when).notSupported(retentions);
  if (!skipped.claims) for (const claim of at.at('volumeClaimTemplates').items()) claimSpec(claim.at('spec'));
  nonNegative(at.at('replicas'));
  nonNegative(at.at('minReadySeconds'));
  nonNegative(at.at('ordinals').at('start'));
  const service = at.at('serviceName');
  if (!skipped.serviceName && !service.isEmpty) service.check(checkDns1123Label);
  requiredSelector(at.at('selector'), 'statefulset');
  template(at, options, skipped);
  const pod = at.at('template').at('spec');
  if (pod.value?.restartPolicy !== 'Always') pod.at('restartPolicy').notSupported(['Always']);
  if (pod.at('activeDeadlineSeconds').isSet)
    pod.at('activeDeadlineSeconds').forbidden('activeDeadlineSeconds in StatefulSet is not Supported');
}

function updateStrategy(strategy: Field<StatefulSetUpdateStrategy>): void {
  const type = strategy.value?.type ?? '';
  const rolling = strategy.at('rollingUpdate');
  if (type === '') strategy.required();
  else if (type === 'RollingUpdate') rollingUpdate(rolling);
  else if (type !== 'OnDelete')
    strategy.invalid(
      "must be 'RollingUpdate' or 'OnDelete'",
      shownInternal('StatefulSetUpdateStrategy', strategy.value),
    );
  else if (rolling.isSet)
    rolling.invalid(
      "only allowed for updateStrategy 'RollingUpdate'",
      shownInternal('RollingUpdateStatefulSetStrategy', rolling.value),
    );
}

function rollingUpdate(rolling: Field<RollingUpdateStatefulSetStrategy>): void {
  nonNegative(rolling.at('partition'));
  const unavailable = rolling.at('maxUnavailable');
  if (!unavailable.isSet) return;
  intOrPercent(unavailable);
  if (amountOf(unavailable.value) === 0) unavailable.invalid('cannot be 0');
  notMoreThanAll(unavailable);
}

function template(at: Field<StatefulSetSpec>, options: PodOptions, skipped: Skipped): void {
  const selector = compiled(at.value?.selector);
  if (!selector) {
    at.at('selector').invalid('', shownSelector(at.value?.selector));
    return;
  }
  const field = new Field<PodTemplateSpec>(withClaims(at.value ?? {}), at.at('template').path, at.faults);
  selects(selector, field);
  if (!skipped.template) podTemplate(field, options);
  const metadata = field.at('metadata');
  const annotations = metadata.at('annotations').named(field, 'annotations');
  field.add(...labelFaults(metadata.value?.labels, metadata.at('labels').named(field, 'labels')));
  field.add(...annotationFaults(annotations.value, annotations));
  podAnnotations(annotations, field.value?.spec ?? {}, options);
}

/** Returns the template as its pods will be: with a volume for each claim, claims first, and without the host names. */
function withClaims({ template = {}, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec {
  const { hostname: _, subdomain: __, volumes = [], ...pod } = template.spec ?? {};
  const names = [...new Set(volumeClaimTemplates.map(claim => claim.metadata?.name ?? ''))];
  const all = [
    ...names.map(name => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...volumes.filter(volume => !names.includes(volume.name ?? '')),
  ];
  return { ...template, spec: all.length > 0 ? { ...pod, volumes: all } : pod };
}

export const statefulSetRules: readonly Validate[] = [
  validate<StatefulSet>(set => spec(set.at('spec'), templateOptions(undefined), nothing)),
];

const mutable = [
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
] as const;

function without(of: StatefulSetSpec | undefined): StatefulSetSpec {
  const rest = { ...of };
  for (const name of mutable) delete rest[name];
  return rest;
}

export const statefulSetChangeRules: readonly Validate[] = [
  validateChange<StatefulSet>((set, old) => {
    const options = templateOptions(old.spec?.template);
    const known = { ...nothing, serviceName: true, claims: true };
    const before = new Field<StatefulSetSpec>(old.spec, '', []);
    const wasSound = before.passes(() => spec(before, options, known));
    spec(set.at('spec'), options, { ...known, template: !wasSound });
    if (!sameValue(without(set.value?.spec), without(old.spec), set.at('spec').type))
      set
        .at('spec')
        .forbidden(
          "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
        );
  }),
];

export const statefulSetStatusRules: readonly Validate[] = [
  validate<StatefulSet>(set => {
    const status = set.at('status');
    countsAreNatural(status, [
      'replicas',
      'readyReplicas',
      'currentReplicas',
      'updatedReplicas',
      'availableReplicas',
      'observedGeneration',
      'collisionCount',
    ]);
    countsWithin(
      status,
      ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
      'replicas',
      'status.replicas',
    );
    countsWithin(status, ['availableReplicas'], 'readyReplicas', 'status.readyReplicas');
  }),
  changedMetadata,
  validateChange<StatefulSet>((set, old) =>
    notDecremented(set.at('status').at('collisionCount'), old.status?.collisionCount),
  ),
];
