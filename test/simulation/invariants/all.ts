import type { Life } from '../life/life.ts';
import { ActivityJudge } from './activities.ts';
import { CallJudge } from './calls.ts';
import { Court, type Judge } from './court.ts';
import { DeletionJudge } from './deletion.ts';
import { DriftJudge } from './drift.ts';
import { Dropped } from './dropped.ts';
import { EarlyJudge } from './early.ts';
import { EndJudge } from './end.ts';
import { HandoverJudge } from './handover.ts';
import { Heard } from './heard.ts';
import { Intents } from './intents.ts';
import { KeyJudge } from './keys.ts';
import { LeaseJudge } from './leases.ts';
import { LedgerJudge } from './ledger.ts';
import { LookJudge } from './looks.ts';
import { MessageJudge } from './messages.ts';
import { Notes } from './notes.ts';
import { Overruled } from './overruled.ts';
import { PaceJudge } from './pace.ts';
import { ProcessJudge } from './processes.ts';
import { PromiseJudge } from './promises.ts';
import { ProofJudge } from './proofs.ts';
import { RemovalJudge } from './removals.ts';
import { RepeatJudge } from './repeats.ts';
import { StatusJudge } from './statuses.ts';
import { Trails } from './trail.ts';
import { RecordJudge } from './unrecorded.ts';
import { UnsettledJudge } from './unsettled.ts';
import { WaitJudge } from './waits.ts';

export interface Sitting {
  readonly court: Court;
  readonly ending: EndJudge;
  /** To be called when the life is over. */
  close(): void;
}

/** Has a life watched by every judge, from before its beginning. */
export function judge(life: Life): Sitting {
  const court = new Court(life);
  const trails = new Trails(court);
  const notes = new Notes(life.world.flags);
  const heard = new Heard(life);
  const dropped = new Dropped(notes, heard);
  const overruled = new Overruled(court);
  const intents = new Intents(life);
  const repeats = new RepeatJudge(court, trails);
  const ledger = new LedgerJudge(court, trails, { notes, heard, dropped });
  const unsettled = new UnsettledJudge(court, trails, intents);
  const proofs = new ProofJudge(court);
  const ending = new EndJudge(court, trails, { notes, ledger, repeats, proofs });
  const judges: Judge[] = [
    court,
    trails,
    notes,
    heard,
    dropped,
    overruled,
    intents,
    new CallJudge(court),
    new LeaseJudge(court),
    new HandoverJudge(court),
    new KeyJudge(court),
    new PaceJudge(court),
    new LookJudge(court, trails),
    new RemovalJudge(court, trails, intents),
    ledger,
    new DeletionJudge(court, trails, { notes, dropped }),
    unsettled,
    repeats,
    new EarlyJudge(court),
    new RecordJudge(court, overruled),
    new MessageJudge(court),
    new StatusJudge(court),
    new DriftJudge(court),
    new ActivityJudge(court),
    new PromiseJudge(court, unsettled),
    new WaitJudge(court),
    new ProcessJudge(court, { notes, overruled }),
    proofs,
  ];
  life.chronicle.listen((fact) => {
    for (const one of judges) one.see(fact);
  });
  return {
    court,
    ending,
    close() {
      for (const one of judges) one.end?.();
      ending.end();
    },
  };
}
