import { definition } from '../../kinds/pipe-settings/definition.ts';
import { parseSpec } from '../../kinds/pipe-settings/resource.ts';
import { SETTINGS, type SettingName, settingNames } from '../../kinds/pipe-settings/settings.ts';
import { checkObjectName } from '../cluster/objects.ts';
import type { Context, ExitCode, ScopeFlags } from '../command.ts';
import { createShell } from '../shell.ts';
import { UserError } from '../user-error.ts';
import { commented, manifestText, objectNameFrom, USUAL_SECRET } from './manifest.ts';

export interface PipeFlags extends ScopeFlags {
  readonly secret?: string;
  readonly name?: string;
}

/** Prints a PipeSettings that somebody has to fill in. Makes no call to anybody. */
export async function importPipe(
  { terminal }: Context,
  words: readonly string[],
  flags: PipeFlags,
): Promise<ExitCode> {
  const [organizationId = '', serviceId = '', pipeId = ''] = words;
  if (flags.name !== undefined) checkObjectName(flags.name, '--name');
  const { secret = USUAL_SECRET, name = objectNameFrom(pipeId), namespace } = flags;
  const spec = {
    organizationId,
    serviceId,
    pipeId,
    credentialsSecretRef: { name: secret },
    mode: 'Plan',
  };
  // Any one setting will do: the others of the spec are judged with it.
  const read = parseSpec({ spec: { ...spec, settings: { engine_max_threads: 0 } } });
  if (!read.ok) throw new UserError(read.message.replaceAll('spec.', ''));
  const head = manifestText({ definition, metadata: { name, namespace }, spec }, [
    'Not complete: the settings of a pipe cannot be read without a write, so what this pipe has is',
    'not known. Uncomment at least one setting below and give it the value that you want; those',
    'given are only the lowest that the API takes. Settings that stay comments are left as they are.',
    'In mode Plan nothing is sent. Take "mode" out to send the settings.',
  ]);
  terminal.document(`${head}\n  settings:\n${settingNames.map(settingLines).join('\n')}`);
  const object = `${definition.shortName}/${name}`;
  const where = namespace === undefined ? [] : ['-n', namespace];
  const shell = createShell(flags);
  const explain = shell.plugin('explain', object, ...where);
  const complete = shell.plugin('import', '--from-status', object, ...where);
  terminal.tell(
    `The settings of a pipe cannot be read without a write, so this is a PipeSettings to fill in, and no call was made. What to do: uncomment at least one setting; kubectl apply; read what would be sent: ${explain}; then take "mode" out and apply again. After that, ${complete} prints all settings that the reply showed.`,
  );
  return 0;
}

/** What a setting is, and a line to uncomment. */
function settingLines(name: SettingName): string {
  const setting = SETTINGS[name];
  const isFlag = setting.type === 'boolean';
  const range = isFlag
    ? 'True or false'
    : `A whole number, ${setting.min} to ${setting.max} ${setting.unit}`.trimEnd();
  const about = commented(`${setting.about} ${range}.`);
  return `    ${about}\n    # ${name}: ${isFlag ? false : setting.min}`;
}
