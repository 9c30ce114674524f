import type { Work } from '../../../simulator/replies.ts';
import type { Time } from '../../../simulator/time.ts';
import { ManagementApi } from '../../management/api.ts';
import {
  type Answer,
  type Ask,
  type Existing,
  KEY,
  type ManagementUnderTest,
} from './under-test.ts';
import { bodyOf, wireRequest } from './wire.ts';

/** The API of the simulation, with a clock that only `advance` and `later` move. */
export class InMemory implements ManagementUnderTest {
  readonly #api: ManagementApi;
  readonly #began = Date.UTC(2026, 0, 2);
  #passed = 0;

  constructor(existing: Existing = {}) {
    const time: Time = { passed: () => this.#passed, now: () => this.now() };
    this.#api = new ManagementApi(time, existing);
    this.setKey(KEY.id, KEY.secret);
  }

  async send(ask: Ask): Promise<Answer> {
    return (await this.begin(ask)).finish();
  }

  begin(ask: Ask): Promise<{ finish(): Promise<Answer> }> {
    const work = this.#api.work(wireRequest(ask), ask.once);
    return Promise.resolve({
      finish: () => {
        work.ended?.();
        return Promise.resolve(answerOf(work));
      },
    });
  }

  play({
    settings,
    organization,
    activity,
    ...rest
  }: Parameters<ManagementUnderTest['play']>[0]): void {
    if (settings) this.#api.settings.play(settings);
    if (organization) this.#api.organizations.play(organization);
    if (activity) this.#api.activities.play(activity);
    if ('rate' in rest) this.#api.limits.set(rest.rate);
  }

  now(): number {
    return this.#began + this.#passed;
  }

  async later(ms: number, check: () => Promise<void>): Promise<void> {
    this.advance(ms);
    await check();
  }

  advance(ms: number): void {
    this.#passed += ms;
  }

  setKey: ManagementUnderTest['setKey'] = (...key) => this.#api.keys.set(...key);
  settingsOf: ManagementUnderTest['settingsOf'] = (pipe) => this.#api.settings.of(pipe);
  setSettings: ManagementUnderTest['setSettings'] = (...set) => this.#api.settings.set(...set);
  organization: ManagementUnderTest['organization'] = (id) => this.#api.organizations.of(id);
  setOrganization: ManagementUnderTest['setOrganization'] = (...set) =>
    this.#api.organizations.set(...set);
  setActivity: ManagementUnderTest['setActivity'] = (...set) => this.#api.activities.set(...set);
}

function answerOf({ reply: { status, headers = {}, text } }: Work): Answer {
  return { status, headers, text, body: bodyOf(text) };
}
