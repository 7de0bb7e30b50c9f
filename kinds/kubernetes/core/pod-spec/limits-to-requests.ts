/** Sets missing requests to the limits, in place. */
export function limitsToRequests(resources: { limits?: object; requests?: object } | undefined): void {
  if (resources?.limits) resources.requests = { ...resources.limits, ...resources.requests };
}
