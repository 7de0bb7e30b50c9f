import type { JsonObject } from '../../../apimachinery/interface.js';
import type { ResourceList, Toleration } from '../../../api/karmada/types.js';

/** The fields of a pod spec that the interpreter reads. */
export interface PodSpec {
  containers?: Container[];
  initContainers?: Container[];
  ephemeralContainers?: Container[];
  volumes?: Volume[];
  imagePullSecrets?: Named[];
  serviceAccountName?: string;
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  tolerations?: Toleration[];
  affinity?: { nodeAffinity?: { requiredDuringSchedulingIgnoredDuringExecution?: JsonObject } };
  overhead?: ResourceList;
  priorityClassName?: string;
}

export interface Container {
  name?: string;
  resources?: { requests?: ResourceList; limits?: ResourceList };
  env?: { valueFrom?: { configMapKeyRef?: Named; secretKeyRef?: Named } }[];
  envFrom?: { configMapRef?: Named; secretRef?: Named }[];
  volumeMounts?: unknown[];
}

interface Named {
  name?: string;
}

/** A volume with its source. Sources refer to a Secret in several shapes. */
export interface Volume {
  name?: string;
  configMap?: Named;
  secret?: { secretName?: string };
  persistentVolumeClaim?: { claimName?: string };
  projected?: { sources?: { configMap?: Named; secret?: Named }[] };
  [source: string]: unknown;
}
