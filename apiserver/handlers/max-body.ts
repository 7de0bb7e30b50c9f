/** The largest body of a request in bytes; a larger one gets 413. as apiserver/pkg/server Config.MaxRequestBodyBytes */
export const maxBody = 3 * 1024 * 1024;
