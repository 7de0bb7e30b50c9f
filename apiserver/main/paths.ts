import type { Registry } from 'prom-client';
import type { LiveCatalogue } from '../../registry/catalogue/catalogue.js';
import type { Filter } from '../http/filters.js';
import type { HealthCheck } from '../interface.js';
import type { ServerMetrics } from '../metrics/request-metrics.js';
import { health } from '../paths/health.js';
import { indexPage } from '../paths/index-page.js';
import { metrics as metricsPage } from '../paths/metrics.js';
import { type PathTable, paths } from '../paths/paths.js';
import { version } from '../paths/version.js';

export interface PathsDeps {
  readonly checks: readonly HealthCheck[];
  readonly registries: readonly Registry[];
  readonly metrics: ServerMetrics;
  readonly catalogue: LiveCatalogue;
  /** host:port */
  readonly address: () => string;
}

/** Everything that the server serves and that is no resource. */
export function pathsOf(deps: PathsDeps): Filter {
  const { checks } = deps;
  const table: PathTable = {
    '/': indexPage(() => Object.keys(table).filter(path => path !== '/')),
    '/version': version,
    '/metrics': metricsPage(deps.registries),
    '/healthz': health('healthz', checks),
    '/healthz/': health('healthz', checks),
    '/livez': health('livez', checks),
    '/livez/': health('livez', checks),
    '/readyz': health('readyz', checks),
    '/readyz/': health('readyz', checks),
  };
  return paths(table, deps.metrics);
}
