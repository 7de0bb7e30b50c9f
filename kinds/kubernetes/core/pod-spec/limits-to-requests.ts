/** Missing requests default to the limits. */
export function limitsToRequests(resources: { limits?: object; requests?: object } | undefined): void {
  if (resources?.limits) resources.requests = { ...resources.limits, ...resources.requests };
}
