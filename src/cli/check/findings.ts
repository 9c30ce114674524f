import { KubectlError } from '../kubectl.ts';

/** What a check has to say. */
export interface Finding {
  /** `unseen`: it could not be read; as a `note`, that is no problem of the installation. */
  readonly type: 'fine' | 'note' | 'problem' | 'unseen';
  /** What is wrong, with which value, and what to do. */
  readonly message: string;
}

export const fine = (message: string): Finding => ({ type: 'fine', message });
export const problem = (message: string): Finding => ({ type: 'problem', message });
export const unseen = (message: string): Finding => ({ type: 'unseen', message });

/** What the user may not read is said, and the other checks go on. */
export async function seen(
  what: string,
  look: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof KubectlError && error.isForbidden)) throw error;
    return [unseen(`${what} could not be read: ${error.message}`)];
  }
}
