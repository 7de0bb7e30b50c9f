import type { KindTable } from '../kind.js';
import { mpiJob } from './mpi-job.js';
import { notebook } from './notebook.js';
import { pytorchJob } from './pytorch-job.js';
import { tfJob } from './tf-job.js';

export const kubeflow: KindTable = {
  'kubeflow.org/v1/Notebook': notebook,
  'kubeflow.org/v1/PyTorchJob': pytorchJob,
  'kubeflow.org/v1/TFJob': tfJob,
  'kubeflow.org/v2beta1/MPIJob': mpiJob,
};
