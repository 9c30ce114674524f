import { basic } from '../../simulator/caller.ts';
import type { Fact } from '../record/facts.ts';
import type { Court, Judge } from './court.ts';

/** A key stands in the Authorization header of calls to the management API, and nowhere else. */
export class KeyJudge implements Judge {
  readonly #court: Court;
  #needles: readonly string[] = [];
  #known = 0;

  constructor(court: Court) {
    this.#court = court;
  }

  see(fact: Fact): void {
    switch (fact.what) {
      case 'log':
        this.#search(fact.line, `a log line of ${fact.process}`);
        return;
      case 'asked':
        this.#search(
          fact.ask.path + fact.ask.body,
          `a request to the API server, ${fact.ask.method} ${fact.ask.path}`,
        );
        return;
      case 'leaves':
        this.#search(
          fact.call.path + fact.call.text,
          `path or body of ${fact.call.method} ${fact.call.target}`,
        );
        return;
      default:
    }
  }

  #search(text: string, where: string): void {
    const { secrets, keys } = this.#court.life;
    if (secrets.length + keys.size !== this.#known) this.#learn();
    if (this.#needles.some((needle) => text.includes(needle))) {
      this.#court.report(
        'key leaked',
        where.split(' of ')[0] ?? where,
        `the secret of a key stands in ${where}`,
      );
    }
  }

  #learn(): void {
    const { secrets, keys } = this.#court.life;
    this.#known = secrets.length + keys.size;
    const pairs = [
      ...secrets.map(({ keyId, secret }) => ({ keyId, secret })),
      ...[...keys].map(([keyId, { secret }]) => ({ keyId, secret })),
    ];
    const forms = pairs.flatMap(({ keyId, secret }) => [
      secret,
      Buffer.from(secret).toString('base64').replace(/=+$/, ''),
      basic(keyId, secret).slice('Basic '.length),
    ]);
    this.#needles = [...new Set(forms)];
  }
}
