import type { KindTable } from '../kind.js';
import { rayCluster } from './ray-cluster.js';
import { rayJob } from './ray-job.js';
import { rayService } from './ray-service.js';

export const ray: KindTable = {
  'ray.io/v1/RayCluster': rayCluster,
  'ray.io/v1/RayJob': rayJob,
  'ray.io/v1/RayService': rayService,
};
