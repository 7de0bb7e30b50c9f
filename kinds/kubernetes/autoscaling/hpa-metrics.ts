/** Converts metrics between version 2 and the form that autoscaling/v1 writes into annotations: `old`. */
// as pkg/apis/autoscaling/v1 Convert_*
import { isZeroQuantity, parseQuantity } from '../../../apimachinery/quantity/quantity.js';
import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from '../../../api/kubernetes/autoscaling.js';

type Fields = Readonly<Record<string, unknown>>;
type Amount = string | number | undefined;
type Reference = Fields | undefined;

/** The parts of metrics in version 2; each kind of metric has some of them. */
interface Parts {
  readonly name?: string | undefined;
  readonly container?: string | undefined;
  readonly metric?: { readonly name?: string | undefined; readonly selector?: unknown } | undefined;
  readonly describedObject?: Reference;
  readonly target?: MetricTarget | undefined;
  readonly current?: MetricValueStatus | undefined;
}

interface Form {
  /** Fields in the order of their declaration; undefined ones are left out. */
  readonly old: (parts: Parts) => Fields;
  readonly parts: (old: Fields) => Parts;
}

/** Go writes the zero value of an amount that is not a pointer. */
const amount = (value: Amount): Amount => value ?? '0';
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const known = (value: Fields): Fields =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));
const reference = (ref: Reference): Fields => {
  const { kind = '', name = '', apiVersion } = (ref ?? {}) as Record<string, string>;
  return known({ kind, name, apiVersion });
};
const target = (type: string, values: Fields): MetricTarget => known({ type, ...values });
const current = (values: Fields): MetricValueStatus => known(values);
const metric = (name: unknown, selector: unknown) => known({ name: text(name), selector });

const ofResource: Form = {
  old: ({ name, container, target: t }) => ({
    name: name ?? '',
    targetAverageUtilization: t?.averageUtilization,
    targetAverageValue: t?.averageValue,
    container,
  }),
  parts: old => ({
    name: text(old['name']),
    ...(old['container'] !== undefined && { container: text(old['container']) }),
    target: target(old['targetAverageUtilization'] == null ? 'AverageValue' : 'Utilization', {
      averageValue: old['targetAverageValue'],
      averageUtilization: old['targetAverageUtilization'],
    }),
  }),
};

const sources: Readonly<Record<string, Form>> = {
  object: {
    old: ({ describedObject, metric: m, target: t }) => ({
      target: reference(describedObject),
      metricName: m?.name ?? '',
      targetValue: amount(t?.value),
      selector: m?.selector,
      averageValue: t?.averageValue,
    }),
    parts: old => {
      const value = old['targetValue'] as Amount;
      const averageValue = old['averageValue'];
      const isAverage = averageValue != null;
      const isZero = isZeroQuantity(parseQuantity(value ?? 0));
      return {
        describedObject: reference(old['target'] as Reference),
        target: target(isAverage ? 'AverageValue' : 'Value', {
          value: isAverage && isZero ? undefined : amount(value),
          averageValue,
        }),
        metric: metric(old['metricName'], old['selector']),
      };
    },
  },
  pods: {
    old: ({ metric: m, target: t }) => ({
      metricName: m?.name ?? '',
      targetAverageValue: amount(t?.averageValue),
      selector: m?.selector,
    }),
    parts: old => ({
      metric: metric(old['metricName'], old['selector']),
      target: target('AverageValue', { averageValue: amount(old['targetAverageValue'] as Amount) }),
    }),
  },
  resource: ofResource,
  containerResource: {
    ...ofResource,
    old: parts => ({ ...ofResource.old(parts), container: parts.container ?? '' }),
  },
  external: {
    old: ({ metric: m, target: t }) => ({
      metricName: m?.name ?? '',
      metricSelector: m?.selector,
      targetValue: t?.value,
      targetAverageValue: t?.averageValue,
    }),
    parts: old => ({
      metric: metric(old['metricName'], old['metricSelector']),
      target: target(old['targetValue'] == null ? 'AverageValue' : 'Value', {
        value: old['targetValue'],
        averageValue: old['targetAverageValue'],
      }),
    }),
  },
};

const seenResource: Form = {
  old: ({ name, container, current: c }) => ({
    name: name ?? '',
    currentAverageUtilization: c?.averageUtilization,
    currentAverageValue: amount(c?.averageValue),
    container,
  }),
  parts: old => ({
    name: text(old['name']),
    ...(old['container'] !== undefined && { container: text(old['container']) }),
    current: current({
      averageValue: amount(old['currentAverageValue'] as Amount),
      averageUtilization: old['currentAverageUtilization'],
    }),
  }),
};

const statuses: Readonly<Record<string, Form>> = {
  object: {
    old: ({ describedObject, metric: m, current: c }) => ({
      target: reference(describedObject),
      metricName: m?.name ?? '',
      currentValue: amount(c?.value),
      selector: m?.selector,
      averageValue: c?.averageValue,
    }),
    parts: old => ({
      metric: metric(old['metricName'], old['selector']),
      current: current({ value: amount(old['currentValue'] as Amount), averageValue: old['averageValue'] }),
      describedObject: reference(old['target'] as Reference),
    }),
  },
  pods: {
    old: ({ metric: m, current: c }) => ({
      metricName: m?.name ?? '',
      currentAverageValue: amount(c?.averageValue),
      selector: m?.selector,
    }),
    parts: old => ({
      metric: metric(old['metricName'], old['selector']),
      current: current({ averageValue: amount(old['currentAverageValue'] as Amount) }),
    }),
  },
  resource: seenResource,
  containerResource: {
    ...seenResource,
    old: parts => ({ ...seenResource.old(parts), container: parts.container ?? '' }),
  },
  external: {
    old: ({ metric: m, current: c }) => ({
      metricName: m?.name ?? '',
      metricSelector: m?.selector,
      currentValue: amount(c?.value),
      currentAverageValue: c?.averageValue,
    }),
    parts: old => ({
      metric: metric(old['metricName'], old['metricSelector']),
      current: current({ value: amount(old['currentValue'] as Amount), averageValue: old['currentAverageValue'] }),
    }),
  },
};

/** The kinds of sources in the order of their declaration in version 1. */
const order = ['object', 'pods', 'resource', 'containerResource', 'external'];

function convertSource(
  forms: Readonly<Record<string, Form>>,
  value: Fields,
  change: (form: Form, source: Fields) => object,
): Fields {
  const changed = order.map((kind): [string, Fields | undefined] => {
    const [form, source] = [forms[kind], value[kind] as Fields | undefined];
    return [kind, form && source ? known(change(form, source) as Fields) : undefined];
  });
  return known({ type: value['type'] ?? '', ...Object.fromEntries(changed) });
}

/** Returns a metric in the form of autoscaling/v1. as pkg/apis/autoscaling/v1 conversion.go */
export const oldMetric = (value: MetricSpec): Fields =>
  convertSource(sources, value, (form, source) => form.old(source));
/** Returns the status of a metric in the form of autoscaling/v1. */
export const oldMetricStatus = (value: MetricStatus): Fields =>
  convertSource(statuses, value, (form, source) => form.old(source));
/** Returns the metric that the form of autoscaling/v1 describes. */
export const metricOf = (old: Fields): MetricSpec => convertSource(sources, old, (form, source) => form.parts(source));
/** Returns the status of a metric that the form of autoscaling/v1 describes. */
export const metricStatusOf = (old: Fields): MetricStatus =>
  convertSource(statuses, old, (form, source) => form.parts(source));
