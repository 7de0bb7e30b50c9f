/** The kinds of the APIs of metrics, which metrics-server and adapters serve. */
import type { KubeObject, ObjectMeta } from '../../apimachinery/interface.js';

export const resourceMetrics = { group: 'metrics.k8s.io', version: 'v1beta1' } as const;
export const customMetricsGroup = 'custom.metrics.k8s.io';
export const externalMetrics = { group: 'external.metrics.k8s.io', version: 'v1beta1' } as const;

/** Amounts by resource: `cpu`, `memory`. */
export type Usage = Readonly<Record<string, string>>;

interface Measured extends KubeObject {
  readonly metadata: ObjectMeta;
  /** The end of the window. */
  readonly timestamp: string;
  /** A duration as Go writes it. */
  readonly window: string;
}

export interface NodeMetrics extends Measured {
  readonly usage: Usage;
}

export interface PodMetrics extends Measured {
  readonly containers: readonly { readonly name: string; readonly usage: Usage }[];
}

/** The object that a custom metric describes: a core/v1 ObjectReference. */
export interface DescribedObject {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly apiVersion?: string;
}

/** A value of a custom metric, in v1beta2; `metric` is `metricName` and `selector` in v1beta1, and `windowSeconds` is `window`. */
export interface CustomMetricValue {
  readonly describedObject: DescribedObject;
  readonly metric: { readonly name: string; readonly selector?: unknown };
  readonly timestamp: string;
  readonly windowSeconds?: number;
  readonly value: string;
}

export interface ExternalMetricValue {
  readonly metricName: string;
  readonly metricLabels: Readonly<Record<string, string>>;
  readonly timestamp: string;
  /** Seconds. */
  readonly window?: number;
  readonly value: string;
}

/** A custom metric of one resource. */
export interface MetricInfo {
  /** `pods`, `jobs.batch`. */
  readonly resource: string;
  readonly namespaced: boolean;
  readonly metric: string;
}
