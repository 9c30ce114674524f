import { definitions } from '../../kinds/definitions.ts';
import { customResourceDefinition } from '../../kinds/schema/manifest.ts';
import { toYaml } from '../yaml.ts';

/** The CRDs of this version, as one text of several documents. */
export function crds(): string {
  const documents = definitions.map((one) => toYaml(customResourceDefinition(one)));
  return documents.join('---\n').trimEnd();
}
