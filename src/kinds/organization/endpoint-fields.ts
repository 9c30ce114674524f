import { text } from '../schema.ts';
import { LIMITS } from './limits.ts';

/**
 * Each of these characters is one byte in the JSON that is stored. Ledger and intent repeat what spec lists and may never be cut:
 * of other characters, which cost up to six bytes, they would outgrow what the API server can store. It also keeps out the line
 * break of a YAML block and letters that look alike.
 */
const PLAIN = /^[!#-%'-;=?-[\]-~]+$/;
const plain = (about: string, max: number) =>
  text({
    about,
    min: 1,
    max,
    pattern: PLAIN,
    must: `be 1 to ${max} printable ASCII characters without spaces and " \\ < > &`,
  });

/** What tells one endpoint from another: all three together. In status with the bounds of spec, so that each fits. */
export function endpointIdentity(about: Readonly<Record<'id' | 'cloudProvider' | 'region', string>>) {
  return {
    id: plain(about.id, LIMITS.id),
    cloudProvider: plain(about.cloudProvider, LIMITS.cloudProvider),
    region: plain(about.region, LIMITS.region),
  };
}
