import { environmentName } from '../../config/flags.ts';

const API_URL = environmentName('api-url');
/** What the chart and the manifests call it. */
const USUAL_NAME = 'pipewright';

/**
 * The container of a Pod that runs the operator: it is told the API, by a variable or an argument;
 * where nobody can see that, as with variables from a whole ConfigMap, it goes by its name.
 */
export function operatorContainer<
  Container extends {
    readonly name: string;
    readonly args?: readonly string[];
    readonly env?: readonly { readonly name: string }[];
  },
>(containers: readonly Container[]): Container | undefined {
  return (
    containers.find(
      ({ env = [], args = [] }) =>
        env.some(({ name }) => name === API_URL) || args.some((arg) => /^--api-url(=|$)/.test(arg)),
    ) ?? containers.find(({ name }) => name === USUAL_NAME)
  );
}
