/** All rows, by the suite that plays them. */
import { accessRows } from './access.js';
import { apiServiceRows } from './api-services.js';
import { authorizationRows } from './authorization.js';
import { autoscalingRows } from './autoscaling.js';
import { celRows } from './cel.js';
import { clusterApiRows } from './cluster-api.js';
import { conversionRows } from './conversions.js';
import { customRows } from './custom.js';
import { customValueRows } from './custom-values.js';
import { endlessListRows } from './endless-lists.js';
import { estimatorRows } from './estimators.js';
import { headerBlockRows } from './header-blocks.js';
import { impersonationRows } from './impersonation.js';
import { interpreterRows } from './interpreters.js';
import { jsonRows, listRows, objectRows } from './json.js';
import { karmadaRows } from './karmada.js';
import { kubeletRows } from './kubelets.js';
import { luaRows } from './lua.js';
import { memberMetricRows } from './member-metrics.js';
import { memberAndScaleRows } from './members-and-scales.js';
import { memberRows } from './members.js';
import { openSearchRows } from './open-search.js';
import { patchRows } from './patches.js';
import { protobufRows } from './protobuf.js';
import { registrationRows } from './registrations.js';
import { requestRows } from './requests.js';
import { reverseTunnelRows } from './reverse-tunnels.js';
import { searchRows } from './search.js';
import { storedRows } from './stored.js';
import { statusRows } from './statuses.js';
import { webhookRows } from './webhooks.js';
import { yamlRows } from './yaml.js';

/** What clients send: bodies in all formats, patches, queries, headers, connections, credentials, expressions, logs and streams. */
export const rowsOfClients = [
  ...yamlRows,
  ...jsonRows,
  ...protobufRows,
  ...objectRows,
  ...listRows,
  ...patchRows,
  ...requestRows,
  ...headerBlockRows,
  ...accessRows,
  ...authorizationRows,
  ...impersonationRows,
  ...celRows,
  ...registrationRows,
  ...kubeletRows,
];

/** Extensions and propagated objects: definitions, webhooks, policies, overrides, schedules, and responses of members. */
export const rowsOfExtensions = [
  ...customRows,
  ...customValueRows,
  ...memberAndScaleRows,
  ...storedRows,
  ...webhookRows,
  ...conversionRows,
  ...apiServiceRows,
  ...karmadaRows,
  ...autoscalingRows,
  ...interpreterRows,
  ...luaRows,
  ...memberRows,
  ...memberMetricRows,
  ...searchRows,
  ...endlessListRows,
  ...openSearchRows,
  ...statusRows,
  ...estimatorRows,
  ...reverseTunnelRows,
  ...clusterApiRows,
];
