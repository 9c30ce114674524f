import { printable } from '../../api/reply/text.ts';
import { KubectlError } from '../cluster/kubectl.ts';
import { UserError } from '../user-error.ts';
import { plainTexts } from '../words.ts';

/** What doctor looks at, in the order in which one depends on the other, and what each means. */
export const CHECKS = {
  crds: 'the CRDs are those of this plugin',
  operator: 'an operator is there',
  leader: 'it leads',
  version: 'it has the version of this plugin',
  namespaces: 'it watches the namespaces of the objects',
  selector: 'it works on objects with their labels',
  rights: 'it may do what it must',
  secrets: 'every Secret that is referred to can be used',
  keys: 'the API takes the keys',
  api: 'the API answers',
  objects: 'no object waits for a person',
} as const;

export type Check = keyof typeof CHECKS;

/** Something that is wrong. Objects with one cause are one finding. */
export interface Finding {
  readonly check: Check;
  /** What it is about, such as `secret/management-api in namespace ingest`. */
  readonly object?: string;
  /** What was found, with which value, and what else there is to know before the command is run. */
  readonly says: string;
  /** Shell text that mends it; absent where no command can. */
  readonly command?: string;
}

/** A check, or a part of it, that could not be made. */
export interface NotChecked {
  readonly check: Check;
  readonly says: string;
}

/** What was found; a check that could not be made is never among those that are fine. */
export class Report {
  readonly findings: Finding[] = [];
  readonly notChecked: NotChecked[] = [];
  readonly #made = new Set<Check>();

  /** `operator` is the one that the command is for. */
  find({ command, ...finding }: Finding, operator: { readonly doubt?: string } = {}): void {
    const why = command === undefined ? undefined : (operator.doubt ?? unprintableIn(command));
    this.findings.push(
      plainTexts(
        why === undefined
          ? { ...finding, ...(command !== undefined && { command }) }
          : { ...finding, says: `${finding.says} ${why}` },
      ),
    );
  }

  made(...checks: readonly Check[]): void {
    for (const check of checks) this.#made.add(check);
  }

  cannot(check: Check, says: string): void {
    const plain = plainTexts({ check, says });
    if (this.notChecked.some((one) => one.check === check && one.says === plain.says)) return;
    this.notChecked.push(plain);
  }

  /** The checks that were made, as a whole. */
  get checked(): Check[] {
    const open = new Set(this.notChecked.map(({ check }) => check));
    return checksInOrder().filter((check) => this.#made.has(check) && !open.has(check));
  }

  /** In the order of the checks: what is found first may be why the rest is wrong. */
  sorted(): { readonly findings: readonly Finding[]; readonly notChecked: readonly NotChecked[] } {
    const order = checksInOrder();
    const byCheck = (a: { readonly check: Check }, b: { readonly check: Check }): number =>
      order.indexOf(a.check) - order.indexOf(b.check);
    return {
      findings: this.findings.toSorted(byCheck),
      notChecked: this.notChecked.toSorted(byCheck),
    };
  }
}

/** Without them it would be another command. */
function unprintableIn(command: string): string | undefined {
  if (printable(command) === command) return undefined;
  return 'No command is given, since a text in it has control characters: look at the object.';
}

function checksInOrder(): Check[] {
  return Object.keys(CHECKS) as Check[];
}

/**
 * What `look` gives, or why it could not look. Throws on where the cluster itself cannot be asked:
 * then no other check could be made either.
 */
export async function attempt<T>(
  look: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly refusal: UserError }> {
  try {
    return { value: await look() };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const reason = error instanceof KubectlError ? error.failure.reason : undefined;
    if (reason === 'Unreachable' || reason === 'Unauthorized') throw error;
    return { refusal: error };
  }
}
