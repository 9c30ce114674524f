import { environmentName } from '../../config/flags.ts';

const API_URL = environmentName('api-url');
/** What the chart and the manifests call it. */
const USUAL_NAME = 'pipewright';

interface Told {
  readonly name: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string }[];
}

/** By the variable, which no other program has. */
export function hasApiVariable({ env = [] }: Told): boolean {
  return env.some(({ name }) => name === API_URL);
}

/**
 * The container of a Pod that runs the operator: it is told the API, by a variable or an argument;
 * where nobody can see that, as with variables from a whole ConfigMap, it goes by its name.
 */
export function operatorContainer<Container extends Told>(
  containers: readonly Container[],
): Container | undefined {
  return (
    containers.find(
      (one) => hasApiVariable(one) || one.args?.some((arg) => /^--api-url(=|$)/.test(arg)),
    ) ?? containers.find(({ name }) => name === USUAL_NAME)
  );
}
