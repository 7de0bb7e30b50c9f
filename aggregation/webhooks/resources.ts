export const services = { group: '', version: 'v1', resource: 'services' } as const;
export const endpointSlices = { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices' } as const;
