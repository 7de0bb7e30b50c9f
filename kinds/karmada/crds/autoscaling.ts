/** Defines autoscaling.karmada.io FederatedHPA and CronFederatedHPA. */
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { ageColumn, type PrinterColumn, type CustomResource, kindSchema } from './custom-resource.js';
import { nativeBlock } from './native-block.js';
import { flag, int32, item, list, struct, text, time } from './schema.js';
import { scaleTarget } from './shared.js';

const hpa = 'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler';

const rules = nativeBlock('io.k8s.api.autoscaling.v2.HPAScalingRules');
/** An empty list of policies is different from an unset one. */
const scalingRules: Schema = {
  ...rules,
  properties: { ...rules.properties, policies: { ...rules.properties?.['policies'], presence: 'pointer' } },
};

const reference: readonly PrinterColumn[] = [
  { name: 'REFERENCE-KIND', type: 'string', jsonPath: '.spec.scaleTargetRef.kind' },
  { name: 'REFERENCE-NAME', type: 'string', jsonPath: '.spec.scaleTargetRef.name' },
];

export const federatedHpa: CustomResource = {
  group: 'autoscaling.karmada.io',
  kind: 'FederatedHPA',
  plural: 'federatedhpas',
  shortName: 'fhpa',
  scope: 'Namespaced',
  versions: [
    {
      name: 'v1alpha1',
      schema: kindSchema('Scales a workload by metrics of all clusters that it runs in.', {
        'spec!': struct(
          'The target, the metrics and the limits of the scaling.',
          {
            'scaleTargetRef!': scaleTarget,
            'minReplicas?': int32('The minimum number of replicas in all clusters together. Defaults to 1.'),
            'maxReplicas!': int32('The maximum number of replicas in all clusters together.'),
            metrics: list(
              'The metrics, of which the one with the most replicas decides. Empty: 80 % of the requested CPU.',
              nativeBlock('io.k8s.api.autoscaling.v2.MetricSpec'),
            ),
            'behavior?': struct(
              'The speed of the scaling, with the fields of the behavior of a HorizontalPodAutoscaler.',
              {
                'scaleUp?': scalingRules,
                'scaleDown?': scalingRules,
              },
            ),
          },
          { typeName: 'v1alpha1.FederatedHPASpec' },
        ),
        'status=': {
          ...nativeBlock(`${hpa}Status`),
          description: 'The observed state, with the fields of the status of a HorizontalPodAutoscaler.',
        },
      }),
      columns: [
        ...reference,
        { name: 'MINPODS', type: 'integer', jsonPath: '.spec.minReplicas' },
        { name: 'MAXPODS', type: 'integer', jsonPath: '.spec.maxReplicas' },
        { name: 'REPLICAS', type: 'integer', jsonPath: '.status.currentReplicas' },
        ageColumn('AGE'),
      ],
      subresources: 'status',
    },
  ],
};

const rule = item({
  'name!': text('The name of the rule.', { maxLength: 32, minLength: 1 }),
  'schedule!': text('The schedule in the format of cron, for example 0 9 * * 1-5.'),
  'targetReplicas?': int32('The number of replicas that is set on a workload.'),
  'targetMinReplicas?': int32('The minReplicas that is set on a FederatedHPA.'),
  'targetMaxReplicas?': int32('The maxReplicas that is set on a FederatedHPA.'),
  'suspend?': flag('Suspends the execution of the rule.', { default: false }),
  'timeZone?': text('The time zone of the schedule, for example Europe/Berlin. Unset: that of the controller.'),
  'successfulHistoryLimit?': int32('The number of successful executions that are kept in the status.', {
    default: 3,
    maximum: 32,
    minimum: 1,
  }),
  'failedHistoryLimit?': int32('The number of failed executions that are kept in the status.', {
    default: 3,
    maximum: 32,
    minimum: 0,
  }),
});

const times = {
  'executionTime!': time('The time of the execution.'),
  'scheduleTime!': time('The scheduled time.'),
};

const history = item({
  failedExecutions: list('The failed executions.', item({ ...times, 'message!': text('The error message.') })),
  nextExecutionTime: time('The time of the next execution.'),
  'ruleName!': text('The name of the rule.'),
  successfulExecutions: list(
    'The successful executions.',
    item({
      appliedMaxReplicas: int32('The maxReplicas that were set.'),
      appliedMinReplicas: int32('The minReplicas that were set.'),
      appliedReplicas: int32('The replicas that were set.'),
      ...times,
    }),
  ),
});

export const cronFederatedHpa: CustomResource = {
  group: 'autoscaling.karmada.io',
  kind: 'CronFederatedHPA',
  plural: 'cronfederatedhpas',
  shortName: 'cronfhpa',
  scope: 'Namespaced',
  versions: [
    {
      name: 'v1alpha1',
      schema: kindSchema('Scales a workload, or the limits of its FederatedHPA, by a schedule.', {
        'spec!': struct('The target and the rules of the scaling.', {
          'rules!': list('The rules: a schedule and the numbers of replicas.', rule),
          'scaleTargetRef!': scaleTarget,
        }),
        'status=': struct('The observed state.', {
          executionHistories: list('The last executions of each rule.', history),
        }),
      }),
      columns: [...reference, ageColumn('AGE')],
      subresources: 'status',
    },
  ],
};
