/** Requests of clients cannot stall the server: bodies in all formats, patches, queries, headers, connections, credentials, expressions. */
import { playRows } from './play-rows.js';
import { accessRows } from './rows/access.js';
import { celRows } from './rows/cel.js';
import { jsonRows, listRows, objectRows } from './rows/json.js';
import { kubeletRows } from './rows/kubelets.js';
import { patchRows } from './rows/patches.js';
import { protobufRows } from './rows/protobuf.js';
import { registrationRows } from './rows/registrations.js';
import { requestRows } from './rows/requests.js';
import { yamlRows } from './rows/yaml.js';

playRows([
  ...yamlRows,
  ...jsonRows,
  ...protobufRows,
  ...objectRows,
  ...listRows,
  ...patchRows,
  ...requestRows,
  ...accessRows,
  ...celRows,
  ...registrationRows,
  ...kubeletRows,
]);
