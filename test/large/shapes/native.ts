/** Shapes of Kubernetes' kinds. */
import { configMapShapes, metadataShapes } from './config-maps.js';
import { ruleShapes } from './rules.js';
import type { Shape } from './shape.js';
import { workloadShapes } from './workloads.js';

export const nativeShapes: readonly Shape[] = [...workloadShapes, ...configMapShapes, ...metadataShapes, ...ruleShapes];
