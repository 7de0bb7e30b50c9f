/** All rows of the stall suite. */
import type { Row } from './row.js';
import { yamlRows } from './rows/yaml.js';

export const rows: readonly Row[] = [...yamlRows];
