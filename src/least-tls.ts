/**
 * For every connection with TLS. Node's own least version is the same, but NODE_OPTIONS and the
 * file openssl.cnf can lower that.
 */
export const LEAST_TLS = { minVersion: 'TLSv1.2' } as const;
