/** The user and the groups that the API server itself gives to requests, and that of administrators. */
// as apiserver/pkg/authentication/user
export const systemAuthenticated = 'system:authenticated';
export const systemUnauthenticated = 'system:unauthenticated';
export const systemMasters = 'system:masters';
export const anonymousName = 'system:anonymous';
