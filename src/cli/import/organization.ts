import { isObject } from '../../api/reply/json.ts';
import type { Reply } from '../../api/reply/reply.ts';
import { type FailureClass, judge, type Success } from '../../api/reply/verdict.ts';
import { checkIds } from '../../kinds/engine/advice.ts';
import { failureMessage } from '../../kinds/engine/failure-report.ts';
import { LOOK_REFUSALS } from '../../kinds/organization/attempt/failure.ts';
import { readReply } from '../../kinds/organization/endpoints/reply.ts';
import {
  addressOf,
  LOOK_BODY,
  nameBody,
  organizationRequest,
} from '../../kinds/organization/remote.ts';
import { parseSpec } from '../../kinds/organization/resource.ts';
import { timestamp } from '../../kinds/status/canonical.ts';
import { quoting } from '../../kinds/status/common-status.ts';
import { checkObjectName } from '../cluster/objects.ts';
import { type Context, type ExitCode, namespaceOf, type ScopeFlags } from '../command.ts';
import { Stopped, signalOf, UserError } from '../user-error.ts';
import { counted } from '../words.ts';
import { type ApiFlags, openApi } from './api-access.ts';
import { type Key, keyInEnvironment, keyInSecret } from './key.ts';
import { shownLine, USUAL_SECRET } from './manifest.ts';
import { organizationManifest, type Wanted } from './organization-manifest.ts';

export interface OrganizationFlags extends ScopeFlags, ApiFlags {
  readonly secret?: string;
  readonly name?: string;
  readonly organizationName?: string;
  readonly keyIdKey?: string;
  readonly keySecretKey?: string;
}

/** Looks at an organization, once, and prints it as a manifest. */
export async function importOrganization(
  context: Context,
  words: readonly string[],
  flags: OrganizationFlags,
): Promise<ExitCode> {
  const [organizationId = ''] = words;
  const { terminal } = context;
  const wanted = await wantedOf(context, organizationId, flags);
  const { api, by } = openApi(context, flags);
  try {
    const key = await keyOf(context, wanted, { flags, baseUrl: api.baseUrl });
    const { segments, path } = addressOf(api.baseUrl, organizationId, {});
    const body = bodyOf(flags.organizationName);
    announce(context, { url: api.baseUrl + path, body, key, by, flags });
    const reply = await api.call({
      ...organizationRequest(segments, body),
      credential: key.credential,
      signal: context.stop,
    });
    const verdict = seenIn(reply, {
      key,
      organizationName: flags.organizationName,
      stop: context.stop,
    });
    const { name, list } = readReply(verdict.result, undefined);
    const printed = organizationManifest(
      wanted,
      {
        name,
        list,
        unreadable: entriesIn(verdict.result) - (list?.length ?? 0),
        holdsKey: (text) => key.credential.mask(text) !== text,
      },
      [
        `Imported ${timestamp(context.clock.now())} from ${api.baseUrl + path}${quoting(verdict.requestId)}.`,
        'Applying this changes nothing at the API. From then on the listed private endpoints belong',
        'to this object, unless another one manages the organization: one that is taken off the list',
        'is removed.',
      ],
    );
    terminal.document(printed.yaml);
    terminal.tell(
      `The API answered${quoting(verdict.requestId)}: ${counted(printed.endpoints, 'private endpoint')} in the manifest.`,
    );
    for (const remark of printed.remarks) terminal.tell(shownLine(`Remark: ${remark}`));
    if (printed.lacks)
      terminal.tell('What is left out stays at the API as it is, whoever made it.');
    return printed.lacks ? 2 : 0;
  } finally {
    await api.close();
  }
}

/** What is wrong with the words and flags is said before any call. */
async function wantedOf(
  { kubectl, terminal }: Context,
  organizationId: string,
  flags: OrganizationFlags,
): Promise<Wanted> {
  const { secret = USUAL_SECRET, name, keyIdKey, keySecretKey } = flags;
  const credentialsSecretRef = {
    name: secret,
    ...(keyIdKey !== undefined && { keyIdKey }),
    ...(keySecretKey !== undefined && { keySecretKey }),
  };
  const { organizationName = 'any' } = flags;
  const read = parseSpec({
    spec: { organizationId, credentialsSecretRef, name: organizationName },
  });
  if (!read.ok) throw new UserError(read.message.replaceAll('spec.', ''));
  if (name !== undefined) checkObjectName(name, '--name');
  if (flags.secret === undefined) {
    if (keyIdKey !== undefined || keySecretKey !== undefined)
      throw new UserError('--key-id-key and --key-secret-key need --secret, whose keys they name');
    terminal.tell(
      `Remark: the manifest names the Secret "${USUAL_SECRET}", because no --secret is given; the key has to be in it, in the namespace of the object.`,
    );
  }
  const namespace =
    flags.secret === undefined ? flags.namespace : await namespaceOf(kubectl, flags);
  return { organizationId, credentialsSecretRef, name, namespace };
}

async function keyOf(
  { kubectl, env }: Context,
  { credentialsSecretRef, namespace }: Wanted,
  { flags, baseUrl }: { readonly flags: OrganizationFlags; readonly baseUrl: string },
): Promise<Key> {
  return flags.secret === undefined || namespace === undefined
    ? keyInEnvironment(env, baseUrl)
    : keyInSecret(kubectl, credentialsSecretRef, { namespace, baseUrl });
}

function bodyOf(organizationName: string | undefined): string {
  return organizationName === undefined ? LOOK_BODY : nameBody(organizationName);
}

function announce(
  { terminal }: Context,
  about: {
    readonly url: string;
    readonly body: string;
    readonly key: Key;
    readonly by: string;
    readonly flags: OrganizationFlags;
  },
): void {
  const { url, body, key, by, flags } = about;
  const what =
    flags.organizationName === undefined
      ? 'a PATCH that changes nothing'
      : 'a PATCH with the name that you gave, which renames the organization if it has another one';
  terminal.tell(
    `An organization can only be seen in the reply to a PATCH. Sending ${what}, once: ${body} to ${url}${by}, with the API key from ${key.from}.`,
  );
}

/** Of the list in the result, also those that nobody can read. */
function entriesIn(result: Readonly<Record<string, unknown>>): number {
  const list =
    isObject(result) && Object.hasOwn(result, 'privateEndpoints') ? result['privateEndpoints'] : [];
  return Array.isArray(list) ? list.length : 0;
}

/** The reply, where it shows the organization. */
function seenIn(
  reply: Reply,
  about: {
    readonly key: Key;
    readonly organizationName: string | undefined;
    readonly stop: AbortSignal;
  },
): Success {
  const { key, organizationName, stop } = about;
  const verdict = judge(reply, { write: true, of: 'organization' });
  if (verdict.ok) return verdict;
  const isLook = organizationName === undefined;
  const isRefusedLook = isLook && LOOK_REFUSALS.has(verdict.httpStatus ?? 0);
  const advice = isRefusedLook ? BY_NAME : adviceOn(verdict.failure, key, isLook);
  const message = failureMessage(verdict, advice);
  throw stop.aborted ? new Stopped(signalOf(stop), message) : new UserError(message);
}

const BY_NAME =
  'This API refuses a PATCH that changes nothing, so the organization cannot be seen that way. If you know its present name, run this again with --organization-name NAME: that sends the name, which the organization then has, and the reply shows the rest';

/** What the user can do here, where nobody tries again. */
function adviceOn(failure: FailureClass, { from }: Key, isLook: boolean): string {
  const advice: Readonly<Record<FailureClass, string>> = {
    Rejected: isLook
      ? 'Check the id of the organization'
      : 'Check the id of the organization and --organization-name',
    Unauthorized: `Put a valid, enabled API key into ${from}`,
    Forbidden:
      'Use an API key with a role that may change the organization (an admin role), or add the address of this machine to the allow-list of the key',
    NotFound: checkIds('the id of the organization'),
    Conflict: 'Run this again later',
    DependencyNotReady: 'Run this again later',
    RateLimited: 'Run this again later; the operator may be using the same key',
    Unavailable: 'Nothing was changed. Check the network and --api-url, and run this again',
    OutcomeUnknown: isLook
      ? 'Run this again: the request changes nothing, whether or not it was carried out'
      : 'Run this again: the organization has either this name now or the one before',
    UnexpectedResponse: 'Check that --api-url is the management API and not a proxy or a web page',
  };
  return advice[failure];
}
