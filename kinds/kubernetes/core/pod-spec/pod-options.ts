/** Mistakes in pods that are forgiven, because the stored object has them already. */
// as pkg/apis/core/validation PodValidationOptions
export interface PodOptions {
  /** A pod, not a template of pods. */
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
  /** Otherwise all but one are behind a feature gate that is off. */
  readonly allowAllLabelChanges: boolean;
  readonly allowRestartOfInitOnResize: boolean;
  /** The selectors of the stored object clash with its matchLabelKeys: the older, laxer rule. */
  readonly oldMatchLabelKeys: boolean;
}

/** For new objects: nothing is forgiven. */
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
