import { normaliseBaseUrl, parseBaseUrl } from '../../api/http/base-url.ts';
import { type Announced, announcements, worksOn } from '../cluster/announced.ts';
import type { Context } from '../command.ts';
import { UserError } from '../user-error.ts';
import type { Setting } from './foreseen.ts';
import type { PlanFlags } from './plan.ts';

/** Which operator works on an object: its setting; undefined where none does. */
export type SettingOf = (about: Parameters<typeof worksOn>[1]) => Setting | undefined;

/** What `--api-url` names. Throws UserError. */
export function givenBaseUrl(apiUrl: string): string {
  const parsed = parseBaseUrl(apiUrl, { allowHttp: true });
  if ('problem' in parsed) throw new UserError(`--api-url: ${parsed.problem}`);
  return normaliseBaseUrl(parsed.url);
}

/** With `--api-url` no operator is asked for. */
export async function settingsFor(
  context: Pick<Context, 'kubectl' | 'clock'>,
  { apiUrl, operatorNamespace }: Pick<PlanFlags, 'apiUrl' | 'operatorNamespace'>,
): Promise<SettingOf> {
  const now = context.clock.now();
  if (apiUrl !== undefined) {
    const setting = { baseUrl: givenBaseUrl(apiUrl), planOnly: false, now };
    return () => setting;
  }
  const operators = await announcements(context, operatorNamespace);
  if (operators.length === 0)
    throw new UserError(
      `no operator can be seen that says which API it calls${operatorNamespace === undefined ? '' : ` (looked in namespace ${operatorNamespace})`}; give the address with --api-url, or see what is wrong with kubectl pipewright doctor`,
    );
  return (about) => {
    const working = operators.filter((one) => worksOn(one, about));
    const [first] = working;
    checkAgreement(working, about.namespace);
    return first && { baseUrl: first.apiUrl, planOnly: first.planOnly, now };
  };
}

/** Anybody who may make a Lease may say anything in it. */
function checkAgreement(working: readonly Announced[], namespace: string): void {
  const said = new Set(working.map(({ apiUrl, planOnly }) => JSON.stringify([apiUrl, planOnly])));
  if (said.size < 2) return;
  const where = working.map((one) => `${one.namespace}/${one.lease}`).join(', ');
  throw new UserError(
    `several Leases say that their operator works on namespace ${namespace}, and they do not say the same of the API's address or --plan-only: ${where}; name the namespace of the right one with --operator-namespace, or the address with --api-url`,
  );
}
