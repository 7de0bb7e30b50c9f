/**
 * Limits the reach of a user with rights to one namespace. In Karmada such a user can get any object applied to the members, with the control
 * plane's credentials there.
 */
// differs: Karmada has no such limits; `off` is Karmada's behaviour

/** `enforce` refuses access outside the namespace, `warn` allows it with a warning, `off` does nothing. */
export const tenantBoundaryModes = ['enforce', 'warn', 'off'] as const;

export type TenantBoundaries = (typeof tenantBoundaryModes)[number];

/** Explains how to lift a limit; the end of every message about one. */
export const howToLift = '(see --tenant-boundaries in docs/security.md)';
