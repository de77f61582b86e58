/**
 * Everything that lives while this engine holds the lease: recovery first, then the wake loop with its scheduler, and the
 * dispatcher. It is built anew for each epoch and never comes back once it has ended.
 */

import type { Job, JobId } from '../../shared/model/job';
import type { Run, RunId } from '../../shared/model/run';
import type { Instant } from '../../shared/time';
import type { Fence } from '../core/lease';
import type { DataKeeper, Spill } from '../ports/data';
import type { Runner } from '../ports/running';
import type { Store } from '../ports/store';
import type { Surroundings } from '../ports/surroundings';
import type { Clock, Host, Ids, Log, Timer } from '../ports/world';
import { jobsOff } from './attempts';
import { Dispatcher } from './dispatcher';
import { Housekeeping } from './housekeeping';
import { findLateResults } from './lateResults';
import { createLife, LeaseLost, type Life, LifeOver } from './life';
import { recover } from './recovery';
import { Scheduler, type SchedulerEvents } from './scheduler';
import type { TroubleSource } from './trouble';
import { createWakeLoop, type Wake, type WakeLoop } from './wakeLoop';

export type LeadershipPorts = {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ids: Ids;
  readonly host: Host;
  readonly log: Log;
  readonly store: Store;
  readonly runner: Runner;
  readonly surroundings: Surroundings;
  readonly spill?: Spill;
  readonly keeper?: DataKeeper;
  /** See EnginePorts. */
  readonly sleepMsMax?: number;
};

export type LeadershipEvents = {
  readonly onRunChanged: (run: { readonly runId: RunId; readonly jobId: JobId }) => void;
  /** Something was decided or is planned anew: for these jobs, or for all (null). */
  readonly onJobsChanged: (jobIds: readonly JobId[] | null) => void;
  readonly onRecovered: () => void;
  readonly onDataChanged: () => void;
  /** Renews now. Resolves when that is done, well or not; if the lease is lost, this leadership has ended by then. */
  readonly confirmLease: () => Promise<void>;
  /** A fenced write failed: somebody else holds the lease. */
  readonly onLost: () => void;
  readonly onAccess: (source: TroubleSource, trouble: { readonly error: unknown } | null) => void;
};

export interface Leadership {
  readonly fence: Fence;
  readonly dispatcher: Dispatcher;
  readonly scheduler: Scheduler;
  readonly loop: WakeLoop;
  /** A run that is committed as queued, started by a person. */
  started(run: Run, job: Job): void;
  /** Another process changed jobs or pauses. */
  told(): void;
  /** Recovery is done and the agenda filled: what happened before is settled, and new things may begin. */
  isReady(): boolean;
  /** Begins nothing any more, does with runs what is chosen within `msMax`, and ends. */
  close(choice: { readonly runs: 'leave' | 'stop' }, msMax: number): Promise<void>;
  /** Lets go at once: nothing is started or written afterwards. */
  end(): void;
}

export function createLeadership(
  ports: LeadershipPorts,
  held: { readonly fence: Fence; readonly aliveAt: Instant | null; readonly isStart: boolean },
  events: LeadershipEvents,
): Leadership {
  const life = createLife(held.fence, ports.timer);
  // Ends before the other: at a stop nothing more is decided at once, while what is being started is still recorded.
  const planning = createLife(held.fence, ports.timer);
  let isRecovered = false;

  const dispatcher = new Dispatcher(
    {
      ...ports,
      life,
      aliveAt: held.aliveAt,
      isClockBelieved: () => scheduler.isClockBelieved(ports.clock.now()),
    },
    {
      onChanged: events.onRunChanged,
      onEnded: (run) => {
        scheduler.runEnded(run.jobId);
        events.onRunChanged(run);
        void loop.nudge();
      },
      onSkippedAhead: () => {
        scheduler.lookBack(ports.clock.now());
        void loop.nudge();
      },
      onLost: events.onLost,
      onAccess: events.onAccess,
    },
  );
  const scheduler = new Scheduler(
    { ...ports, life: planning, aliveAt: held.aliveAt, isStart: held.isStart },
    schedulerEvents(events, dispatcher),
    ports.clock.now(),
  );

  const { keeper } = ports;
  const housekeeping =
    keeper && new Housekeeping({ ...ports, keeper, life: planning, aliveAt: held.aliveAt }, events);

  const recoverOnce = async (): Promise<void> => {
    const queued = await recover(
      { ...ports, life: planning, aliveAt: held.aliveAt, uptimeMs: () => ports.host.uptimeMs() },
      { onAdopted: (adopted) => dispatcher.adopt(adopted), onRecovered: events.onRunChanged },
    );
    // Before anything starts, because the clock may be wrong now, and takes back what recovery skipped if it was wrong then.
    await scheduler.putRight();
    isRecovered = true;
    dispatcher.enqueue(queued);
    void findLateResults({ ...ports, life: planning }, events.onRunChanged);
    events.onRecovered();
  };
  const step = async (wake: Wake): Promise<Instant | null> => {
    try {
      // Nothing is started under a lease that may have run out in sleep (H-24).
      if (wake.passage.asleepMs > 0) await planning.hold(() => events.confirmLease());
      if (!isRecovered) await recoverOnce();
      // At least this often the clock is looked at for what waits, too.
      dispatcher.look();
      const next = await scheduler.step(wake);
      housekeeping?.look(wake.passage.steppedMs);
      return next;
    } catch (error) {
      if (error instanceof LifeOver) return null;
      if (!(error instanceof LeaseLost)) throw error;
      events.onLost();
      return null;
    }
  };
  const loop = createWakeLoop({
    clock: ports.clock,
    timer: ports.timer,
    uptimeMs: () => ports.host.uptimeMs(),
    sleepMsMax: ports.sleepMsMax,
    step,
    onEnd: (trouble) => {
      if (!planning.isOver) events.onAccess('schedule', trouble);
    },
  });
  const forgetNetwork = ports.surroundings.onChange((change) => {
    if (change === 'network') void loop.nudge();
  });

  const end = (): void => {
    planning.end();
    life.end();
    forgetNetwork();
    dispatcher.detach();
    // Not awaited: the end may be noticed inside the step that is being run.
    void loop.stop();
  };

  return {
    fence: held.fence,
    dispatcher,
    scheduler,
    loop,
    started(run, job) {
      events.onRunChanged({ runId: run.id, jobId: run.jobId });
      dispatcher.enqueue([run], [job]);
    },
    told() {
      void closeUnwanted(dispatcher, { ...ports, life: planning });
      void loop.nudge();
    },
    isReady: () => isRecovered && scheduler.isLoaded() && !planning.isOver,
    async close(choice, msMax) {
      planning.end();
      await loop.stop();
      await dispatcher.close(choice, msMax);
      end();
    },
    end,
  };
}

const schedulerEvents = (events: LeadershipEvents, dispatcher: Dispatcher): SchedulerEvents => ({
  onQueued: (runs) => {
    for (const { id, jobId } of runs) events.onRunChanged({ runId: id, jobId });
    dispatcher.enqueue(runs);
  },
  onDecided: events.onJobsChanged,
  onReplanned: () => events.onJobsChanged(null),
  onLost: events.onLost,
});

/** Runs that wait while another process switched their jobs off. What cannot be read now is noticed when they are to start. */
async function closeUnwanted(
  dispatcher: Dispatcher,
  { store, life, log }: Pick<LeadershipPorts, 'store' | 'log'> & { readonly life: Life },
): Promise<void> {
  const jobIds = dispatcher.jobIds();
  try {
    const off = await life.hold(() => store.read((reader) => jobsOff(reader, jobIds)));
    for (const jobId of off) dispatcher.jobChanged(jobId);
  } catch (error) {
    if (!(error instanceof LifeOver)) log.warn('edits_not_followed', { error });
  }
}
