/** Recorded results of Karmada's interpreters of third-party kinds. They are read in place, since they contain Karmada's own test objects. */
import fs from 'node:fs';
import process from 'node:process';
import type { Vectors } from '../../data.js';

/** The file with the vectors; undefined if there is none on this machine. */
export const thirdPartyFile: string | undefined = process.env['GOLDEN_INTERPRETER'] || undefined;

/** Returns the vectors in a file; none if no file is named. Throws if the named file is missing or unreadable: then the tests must fail. */
export function vectorsIn<I, O>(file: string | undefined): Vectors<I, O> {
  if (file === undefined) return { area: 'interpreter', cases: [] };
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as Vectors<I, O>;
  } catch (cause) {
    throw new Error(`the vectors that GOLDEN_INTERPRETER names cannot be read: ${file}`, { cause });
  }
}

/** Number of vectors per kind. */
export const thirdPartyVectors: Readonly<Record<string, number>> = {
  'apps.kruise.io/v1alpha1 AdvancedCronJob': 12,
  'apps.kruise.io/v1alpha1 BroadcastJob': 63,
  'apps.kruise.io/v1alpha1 CloneSet': 34,
  'apps.kruise.io/v1alpha1 DaemonSet': 50,
  'apps.kruise.io/v1alpha1 SidecarSet': 19,
  'apps.kruise.io/v1alpha1 UnitedDeployment': 27,
  'apps.kruise.io/v1beta1 StatefulSet': 57,
  'argoproj.io/v1alpha1 Workflow': 35,
  'batch.volcano.sh/v1alpha1 Job': 40,
  'flink.apache.org/v1beta1 FlinkDeployment': 92,
  'helm.toolkit.fluxcd.io/v2beta1 HelmRelease': 64,
  'kubeflow.org/v1 Notebook': 58,
  'kubeflow.org/v1 PyTorchJob': 49,
  'kubeflow.org/v1 TFJob': 54,
  'kubeflow.org/v2beta1 MPIJob': 55,
  'kustomize.toolkit.fluxcd.io/v1 Kustomization': 58,
  'kyverno.io/v1 ClusterPolicy': 20,
  'kyverno.io/v1 Policy': 26,
  'ray.io/v1 RayCluster': 27,
  'ray.io/v1 RayJob': 60,
  'ray.io/v1 RayService': 61,
  'source.toolkit.fluxcd.io/v1 GitRepository': 65,
  'source.toolkit.fluxcd.io/v1beta2 Bucket': 49,
  'source.toolkit.fluxcd.io/v1beta2 HelmChart': 49,
  'source.toolkit.fluxcd.io/v1beta2 HelmRepository': 53,
  'source.toolkit.fluxcd.io/v1beta2 OCIRepository': 45,
  'sparkoperator.k8s.io/v1beta2 SparkApplication': 47,
};
