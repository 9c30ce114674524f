import { definition } from '../../kinds/pipe-settings/definition.ts';
import { parseSpec } from '../../kinds/pipe-settings/resource.ts';
import { SETTINGS, type SettingName, settingNames } from '../../kinds/pipe-settings/settings.ts';
import type { Context, ExitCode, ScopeFlags } from '../command.ts';
import { UserError } from '../user-error.ts';
import { commented, objectNameFrom, toYaml } from './manifest.ts';
import { checkObjectName, USUAL_SECRET } from './organization.ts';

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
  checkObjectName(flags.name);
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
  const head = toYaml({ definition, metadata: { name, namespace }, spec }, [
    'Not complete: the settings of a pipe cannot be read without a write, so what this pipe has is',
    'not known. Uncomment at least one setting below and give it the value that you want; those',
    'given are only the lowest that the API takes. Settings that stay comments are left as they are.',
    'In mode Plan nothing is sent. Take "mode" out to send the settings.',
  ]);
  terminal.document(`${head}\n  settings:\n${settingNames.map(settingLines).join('\n')}`);
  const apply = namespace === undefined ? '' : ` -n ${namespace}`;
  terminal.tell(
    `The settings of a pipe cannot be read without a write, so this is a PipeSettings to fill in, and no call was made. What to do: uncomment at least one setting; kubectl apply; read what would be sent: kubectl pipewright explain ${definition.shortName}/${name}${apply}; then take "mode" out and apply again. After that, kubectl pipewright import --from-status ${definition.shortName}/${name}${apply} prints all settings that the reply showed.`,
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
