/** All rows of the stall suite. Those that need the same flags stand together, and share a server. */
import type { Row } from './row.js';
import { accessRows } from './rows/access.js';
import { celRows } from './rows/cel.js';
import { customRows } from './rows/custom.js';
import { customValueRows } from './rows/custom-values.js';
import { jsonRows, listRows, objectRows } from './rows/json.js';
import { karmadaRows } from './rows/karmada.js';
import { memberRows } from './rows/members.js';
import { patchRows } from './rows/patches.js';
import { protobufRows } from './rows/protobuf.js';
import { requestRows } from './rows/requests.js';
import { searchRows } from './rows/search.js';
import { statusRows } from './rows/statuses.js';
import { webhookRows } from './rows/webhooks.js';
import { yamlRows } from './rows/yaml.js';

export const rows: readonly Row[] = [
  ...yamlRows,
  ...jsonRows,
  ...protobufRows,
  ...objectRows,
  ...listRows,
  ...patchRows,
  ...requestRows,
  ...accessRows,
  ...customRows,
  ...customValueRows,
  ...celRows,
  ...webhookRows,
  ...karmadaRows,
  ...memberRows,
  ...searchRows,
  ...statusRows,
];
