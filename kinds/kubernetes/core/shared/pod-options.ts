/** Errors in pods that are accepted because the stored object already has them. */
// as pkg/apis/core/validation PodValidationOptions
export interface PodOptions {
  /** A pod, not a pod template. */
  readonly isPod: boolean;
  readonly allowBadDeletionCost: boolean;
  readonly allowIndivisibleHugePages: boolean;
  readonly allowBadAffinitySelectors: boolean;
  readonly allowBadNodeAffinityValues: boolean;
  readonly allowBadSpreadSelectors: boolean;
  readonly allowBadTokenPaths: boolean;
  readonly allowHostSysctls: boolean;
  readonly allowDevicesInUserNamespaces: boolean;
  readonly allowHostNetworkInUserNamespaces: boolean;
  /** If false, all but one of the changes are behind a feature gate that is off. */
  readonly allowAllLabelChanges: boolean;
  readonly allowRestartOfInitOnResize: boolean;
  /** The selectors of the stored object conflict with its matchLabelKeys: the older, less strict rule applies. */
  readonly oldMatchLabelKeys: boolean;
}

/** For new objects: no errors are accepted. */
export const strictPod: PodOptions = {
  isPod: false,
  allowBadDeletionCost: false,
  allowIndivisibleHugePages: false,
  allowBadAffinitySelectors: false,
  allowBadNodeAffinityValues: false,
  allowBadSpreadSelectors: false,
  allowBadTokenPaths: false,
  allowHostSysctls: false,
  allowDevicesInUserNamespaces: false,
  allowHostNetworkInUserNamespaces: false,
  allowAllLabelChanges: false,
  allowRestartOfInitOnResize: false,
  oldMatchLabelKeys: false,
};
