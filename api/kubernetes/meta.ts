import type * as gen from '../../openapi/gen/meta-v1.js';
import type { Draft } from './draft.js';

export type Condition = Draft<gen.Condition>;
export type LabelSelector = Draft<gen.LabelSelector>;
export type LabelSelectorRequirement = Draft<gen.LabelSelectorRequirement>;
