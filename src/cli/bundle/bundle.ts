import { basename } from 'node:path';
import { createRedactor } from '../../redaction.ts';
import { type Context, type ExitCode, type ScopeFlags, scopeOf } from '../command.ts';
import { stoppedByUser, UserError } from '../user-error.ts';
import { counted } from '../words.ts';
import { type Entry, requireNewFile, writeArchive } from './archive.ts';
import { maskedText } from './masked.ts';
import { Missing } from './missing.ts';
import { objectParts } from './objects.ts';
import { findOperators, operatorParts, secretsOf } from './operator.ts';
import { type Part, segment } from './part.ts';
import { guardSecrets, referredSecrets } from './secrets.ts';
import { crdPart, kubectlVersion, serverVersion } from './versions.ts';

export interface BundleFlags extends ScopeFlags {
  readonly file?: string;
  readonly operatorNamespace?: string;
}

/** Reads first and writes last: what ends it half-way leaves nothing behind. */
export async function bundle(
  context: Context,
  _words: readonly string[],
  flags: BundleFlags,
): Promise<ExitCode> {
  const { kubectl, terminal, clock, stop } = context;
  const made = new Date(clock.now());
  const file =
    flags.file ?? `pipewright-bundle-${made.toISOString().replace(/[-:]|\.\d+/g, '')}.tar.gz`;
  await requireNewFile(file);
  const server = await serverVersion(kubectl);
  const missing = new Missing();
  const scope = await scopeOf(kubectl, flags);

  terminal.tell('reading objects and events');
  const { found, parts, kinds } = await objectParts(kubectl, scope, missing);
  terminal.tell('reading what there is of the operator');
  const source = { kubectl, missing };
  const operators = await findOperators(source, flags.operatorNamespace);
  if (kinds === 0 && operators.length === 0)
    throw new UserError(`nothing could be read, so nothing was written: ${missing.lines[0]}`);
  const ofOperators: Part[] = [];
  for (const operator of operators) ofOperators.push(...(await operatorParts(source, operator)));
  const crds = await crdPart(kubectl, missing);

  const secrets = [...new Set([...referredSecrets(found), ...operators.flatMap(secretsOf)])];
  if (secrets.length > 0)
    terminal.tell(`reading ${counted(secrets.length, 'Secret')}, to mask the values everywhere`);
  const redactor = createRedactor();
  const masked = await guardSecrets(kubectl, secrets, { redactor, missing });
  const about: Part = {
    path: 'about.yaml',
    content: {
      made: made.toISOString(),
      plugin: context.version,
      node: process.version,
      kubectl: await kubectlVersion(kubectl),
      kubernetes: server,
      objectsOf: scope.namespace ?? 'all namespaces',
      ...(scope.selector !== undefined && { selector: scope.selector }),
      valuesMaskedOfSecrets: masked,
    },
  };
  if (stop.aborted) throw stoppedByUser(stop);

  const all = [about, ...crds, ...parts, ...ofOperators, missingPart(missing)];
  const folder = segment(basename(file).replace(/\.(tar\.gz|tgz)$/, ''));
  const entries = all
    .map(
      (part): Entry => ({
        path: `${folder}/${part.path}`,
        bytes: Buffer.from(maskedText(part, redactor), 'utf8'),
      }),
    )
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  await writeArchive(file, entries, made);

  for (const line of listOf(entries)) terminal.print(line);
  for (const line of missing.lines) terminal.tell(`missing: ${redactor.apply(line)}`);
  terminal.tell(
    `wrote ${file}, ${counted(entries.length, 'file')}; look through it before you send it to somebody`,
  );
  return missing.lines.length === 0 ? 0 : 2;
}

function missingPart({ lines }: Missing): Part {
  const text = lines.length === 0 ? 'Nothing is missing.' : lines.join('\n');
  return { path: 'missing.txt', content: `${text}\n` };
}

function listOf(entries: readonly Entry[]): string[] {
  const width = Math.max(...entries.map(({ bytes }) => `${bytes.length}`.length));
  return entries.map(({ path, bytes }) => `${`${bytes.length}`.padStart(width)}  ${path}`);
}
