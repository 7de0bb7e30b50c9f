/** Extensions and propagated objects cannot stall the server: definitions, webhooks, policies, overrides, and responses of members. */
import { playRows } from './play-rows.js';
import { clusterApiRows } from './rows/cluster-api.js';
import { customRows } from './rows/custom.js';
import { customValueRows } from './rows/custom-values.js';
import { estimatorRows } from './rows/estimators.js';
import { interpreterRows } from './rows/interpreters.js';
import { karmadaRows } from './rows/karmada.js';
import { luaRows } from './rows/lua.js';
import { memberMetricRows } from './rows/member-metrics.js';
import { memberRows } from './rows/members.js';
import { searchRows } from './rows/search.js';
import { statusRows } from './rows/statuses.js';
import { webhookRows } from './rows/webhooks.js';

playRows([
  ...customRows,
  ...customValueRows,
  ...webhookRows,
  ...karmadaRows,
  ...interpreterRows,
  ...luaRows,
  ...memberRows,
  ...memberMetricRows,
  ...searchRows,
  ...statusRows,
  ...estimatorRows,
  ...clusterApiRows,
]);
