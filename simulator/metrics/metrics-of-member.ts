import type { ControllerContext } from '../../client/runtime/interface.js';
import type { Catalogue } from '../../registry/interface.js';
import type { MetricsSource } from '../../server/metrics-apis.js';
import { AnnotatedMetrics } from './custom-metrics.js';
import { ResourceMetrics } from './resource-metrics.js';

/** Returns the metrics of a simulated member, which a real cluster has from metrics-server and from adapters. */
export function metricsOfMember(context: ControllerContext, catalogue: Catalogue): MetricsSource {
  const annotated = new AnnotatedMetrics(context, catalogue);
  return {
    resources: new ResourceMetrics(context),
    custom: { infos: () => annotated.infos(), values: query => annotated.values(query) },
    external: { names: () => annotated.externalNames(), values: query => annotated.externalValues(query) },
  };
}
