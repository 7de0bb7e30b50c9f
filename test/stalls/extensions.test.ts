/** Nothing that extends the server or is propagated can stall it: definitions, webhooks, policies and overrides, and the answers of members. */
import { playRows } from './play-rows.js';
import { customRows } from './rows/custom.js';
import { customValueRows } from './rows/custom-values.js';
import { karmadaRows } from './rows/karmada.js';
import { memberRows } from './rows/members.js';
import { searchRows } from './rows/search.js';
import { statusRows } from './rows/statuses.js';
import { webhookRows } from './rows/webhooks.js';

playRows([
  ...customRows,
  ...customValueRows,
  ...webhookRows,
  ...karmadaRows,
  ...memberRows,
  ...searchRows,
  ...statusRows,
]);
