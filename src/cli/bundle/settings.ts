import { FLAGS } from '../../config/flag-table.ts';
import { environmentName } from '../../config/flags.ts';
import { isTextOfFile, shown, withoutUserInfo } from '../../shown.ts';
import { NOT_SHOWN } from './kept.ts';

/** By name: whether the next argument is its value. */
const FLAG_NAMES: ReadonlyMap<string, boolean> = new Map(
  FLAGS.map((flag) => [flag.name, 'placeholder' in flag]),
);
const FLAG_VARIABLES: ReadonlySet<string> = new Set(FLAGS.map(({ name }) => environmentName(name)));
const PROXIES: ReadonlySet<string> = new Set(['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']);

/** What of a variable may be shown: only settings of the operator, and no password in one. */
export function shownVariable(name: string, value: string): string {
  if (PROXIES.has(name.toUpperCase())) return shown(value).replace(/^"|"$/g, '');
  return FLAG_VARIABLES.has(name) ? shownValue(value) : NOT_SHOWN;
}

/** The same of the operator's arguments. */
export function shownArguments(args: readonly string[]): string[] {
  let isValue = false;
  return args.map((arg) => {
    const wasValue = isValue && !arg.startsWith('-');
    isValue = false;
    if (wasValue) return shownValue(arg);
    const [, name = '', value] = /^--([a-z-]+)(?:=(.*))?$/s.exec(arg) ?? [];
    const takesValue = FLAG_NAMES.get(name);
    if (takesValue === undefined) return NOT_SHOWN;
    isValue = value === undefined && takesValue;
    return value === undefined ? arg : `--${name}=${shownValue(value)}`;
  });
}

function shownValue(value: string): string {
  return isTextOfFile(value) ? NOT_SHOWN : withoutUserInfo(value);
}
