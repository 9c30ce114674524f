import type { Fact } from '../record/facts.ts';
import type { Court, Judge } from './court.ts';
import { Needles } from './needles.ts';

/** A key stands in the Authorization header of calls to the management API, and nowhere else. */
export class KeyJudge implements Judge {
  readonly #court: Court;
  readonly #needles = new Needles();
  #known = 0;

  constructor(court: Court) {
    this.#court = court;
  }

  see(fact: Fact): void {
    switch (fact.what) {
      case 'log':
        this.#search(fact.line, `a log line of ${fact.process}`);
        return;
      case 'page':
        this.#search(fact.text, `the metrics of ${fact.process}`);
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
    this.#learn();
    if (!this.#needles.areIn(text)) return;
    this.#court.report(
      'key leaked',
      where.split(' of ')[0] ?? where,
      `a key, or a part of one, stands in ${where}`,
    );
  }

  #learn(): void {
    const { secrets, keys } = this.#court.life;
    if (secrets.length + keys.size === this.#known) return;
    this.#known = secrets.length + keys.size;
    for (const { keyId, secret } of secrets) this.#needles.add(keyId, secret);
    for (const [keyId, { secret }] of keys) this.#needles.add(keyId, secret);
  }
}
