import type { JsonObject } from '../../../apimachinery/interface.js';
import type { ResourceList, Toleration } from '../../../api/karmada/types.js';

/** The fields of a pod spec that the interpreter reads. */
export interface InterpretedPodSpec {
  containers?: InterpretedContainer[];
  initContainers?: InterpretedContainer[];
  ephemeralContainers?: InterpretedContainer[];
  volumes?: InterpretedVolume[];
  imagePullSecrets?: Named[];
  serviceAccountName?: string;
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  tolerations?: Toleration[];
  affinity?: { nodeAffinity?: { requiredDuringSchedulingIgnoredDuringExecution?: JsonObject } };
  overhead?: ResourceList;
  priorityClassName?: string;
}

export interface InterpretedContainer {
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
export interface InterpretedVolume {
  name?: string;
  configMap?: Named;
  secret?: { secretName?: string };
  persistentVolumeClaim?: { claimName?: string };
  projected?: { sources?: { configMap?: Named; secret?: Named }[] };
  [source: string]: unknown;
}
