/** All rows of the stall suite. */
import type { Row } from './row.js';
import { jsonRows, listRows, objectRows } from './rows/json.js';
import { patchRows } from './rows/patches.js';
import { protobufRows } from './rows/protobuf.js';
import { requestRows } from './rows/requests.js';
import { yamlRows } from './rows/yaml.js';

export const rows: readonly Row[] = [
  ...yamlRows,
  ...jsonRows,
  ...protobufRows,
  ...objectRows,
  ...listRows,
  ...patchRows,
  ...requestRows,
];
