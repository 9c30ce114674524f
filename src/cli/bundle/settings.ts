import { FLAGS } from '../../config/flag-table.ts';
import { environmentName } from '../../config/flags.ts';
import { isTextOfFile, shown, withoutUserInfo } from '../../shown.ts';
import { NOT_SHOWN } from './kept.ts';

const FLAG_NAMES: ReadonlySet<string> = new Set(FLAGS.map(({ name }) => name));
const FLAG_VARIABLES: ReadonlySet<string> = new Set(FLAGS.map(({ name }) => environmentName(name)));
const PROXIES: ReadonlySet<string> = new Set(['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']);

/** What of a variable may be shown: only settings of the operator, and no password in one. */
export function shownVariable(name: string, value: string): string {
  if (PROXIES.has(name.toUpperCase())) return shown(value).replace(/^"|"$/g, '');
  return FLAG_VARIABLES.has(name) ? shownValue(value) : NOT_SHOWN;
}

/** The same of the arguments of a container, which may be another program's. */
export function shownArguments(args: readonly string[]): string[] {
  let isValue = false;
  return args.map((arg) => {
    if (isValue) {
      isValue = false;
      return shownValue(arg);
    }
    const [, name = '', value] = /^--([a-z-]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (!FLAG_NAMES.has(name)) return NOT_SHOWN;
    isValue = value === undefined;
    return isValue ? arg : `--${name}=${shownValue(value ?? '')}`;
  });
}

function shownValue(value: string): string {
  return isTextOfFile(value) ? NOT_SHOWN : withoutUserInfo(value);
}
