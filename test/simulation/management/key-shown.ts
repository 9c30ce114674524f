import { readBasic } from '../../simulator/api-keys.ts';

/**
 * A reply in which somebody has put the caller's key wherever there is room: in texts, in lists, in
 * what nobody knows.
 */
export function withKey(text: string, authorization: string): string {
  const body = parsed(text);
  if (!body) return text;
  const secret = readBasic(authorization)?.secret ?? '';
  const { error, result } = body;
  return JSON.stringify({
    ...body,
    ...(typeof error === 'string' && {
      error: `${error} (authorization: ${authorization}, secret ${secret})`,
    }),
    ...(isObject(result) && {
      result: {
        ...result,
        ...(Array.isArray(result.privateEndpoints) && {
          privateEndpoints: result.privateEndpoints.map((entry: unknown) =>
            isObject(entry) ? { ...entry, description: `added with ${authorization}` } : entry,
          ),
        }),
        byocConfig: [{ accountName: secret, headers: [authorization] }],
        unknown_list: [secret, [{ authorization }]],
        [`unknown_${secret}`]: true,
      },
    }),
  });
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
