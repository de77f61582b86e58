/**
 * Asks the user's own check command: exit code 0 is met, anything else is not. It runs where and as a job would, keeps no
 * output, and is gone with its whole group when its time is over. Asked often, it runs seldom and never twice at once.
 */
import { spawn } from 'node:child_process';
import type { CommandSettings } from '../../shared/kinds/command';
import type { ConditionAnswer } from '../ports/surroundings';
import type { Ids } from '../ports/world';
import { type CommandDeps, identify } from './commandDeps';
import { type CommandPlan, planCommand, umaskOf } from './commandPlan';
import { explain, started } from './launch';
import { createPlaces, type Places } from './places';
import { processGroup } from './processGroup';
import { findShimShell, plainArguments } from './shim';

export const CHECK_MS_MAX = 30_000;
/** From one start to the next with the same settings. */
export const CHECK_PERIOD_MS = 10_000;
/** All checks of all jobs together. */
export const CHECKS_MAX = 4;

export type ConditionCommandDeps = Pick<
  CommandDeps,
  'clock' | 'timer' | 'host' | 'processes' | 'surroundings' | 'umask'
> & { readonly ids: Ids; readonly limitMs?: number };

export type AskCommand = (settings: CommandSettings, signal: AbortSignal) => Promise<ConditionAnswer>;

const met: ConditionAnswer = { state: 'met', detail: null };
const unmet = (detail: string): ConditionAnswer => ({ state: 'unmet', detail });
const notWaitedFor = unmet('not waited for');

type Question = {
  readonly answer: Promise<ConditionAnswer>;
  /** Resolves when nothing of it runs any more. */
  readonly over: Promise<void>;
  readonly startedWall: number;
  readonly startedMonotonic: number;
  readonly stop: AbortController;
  isAnswered: boolean;
  isOver: boolean;
  askerCount: number;
};

/** Answers never reject. A question whose last asker has left is called off and its process killed. */
export function createAskCommand(deps: ConditionCommandDeps): AskCommand {
  const { clock } = deps;
  const places = createPlaces(CHECKS_MAX);
  const questions = new Map<string, Question>();

  // One of the clocks stands still while the machine sleeps, and what was true before it slept may not be any more.
  const isFresh = (question: Question): boolean =>
    Math.abs(clock.now() - question.startedWall) < CHECK_PERIOD_MS &&
    clock.monotonic() - question.startedMonotonic < CHECK_PERIOD_MS;

  const begin = (settings: CommandSettings, before: Promise<void>): Question => {
    const stop = new AbortController();
    const asking = ask(settings, { deps, places, before, stop });
    const question: Question = {
      ...asking,
      startedWall: clock.now(),
      startedMonotonic: clock.monotonic(),
      stop,
      isAnswered: false,
      isOver: false,
      askerCount: 0,
    };
    void asking.answer.then(() => {
      question.isAnswered = true;
    });
    void asking.over.then(() => {
      question.isOver = true;
    });
    return question;
  };

  return async (settings, signal) => {
    if (deps.surroundings.platform === 'win32') return { state: 'unknown', detail: null };
    if (signal.aborted) return notWaitedFor;
    for (const [key, old] of questions) if (old.isOver && !isFresh(old)) questions.delete(key);
    const key = JSON.stringify(settings);
    let question = questions.get(key);
    if (question === undefined || question.stop.signal.aborted) {
      question = begin(settings, question?.over ?? Promise.resolve());
      questions.set(key, question);
    }
    return waitFor(question, signal);
  };
}

async function waitFor(question: Question, signal: AbortSignal): Promise<ConditionAnswer> {
  let abort = (): void => undefined;
  const aborted = new Promise<ConditionAnswer>((resolve) => {
    abort = () => resolve(notWaitedFor);
    signal.addEventListener('abort', abort, { once: true });
  });
  question.askerCount += 1;
  try {
    return await Promise.race([question.answer, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
    question.askerCount -= 1;
    if (question.askerCount === 0 && !question.isAnswered) question.stop.abort();
  }
}

type Asking = {
  readonly deps: ConditionCommandDeps;
  readonly places: Places;
  /** The end of an earlier question with the same settings that was called off. */
  readonly before: Promise<void>;
  readonly stop: AbortController;
};

function ask(
  settings: CommandSettings,
  { deps, places, before, stop }: Asking,
): Pick<Question, 'answer' | 'over'> {
  const limitMs = deps.limitMs ?? CHECK_MS_MAX;
  let answer = (_: ConditionAnswer): void => undefined;
  const answered = new Promise<ConditionAnswer>((resolve) => {
    answer = resolve;
  });
  const giveUpAfterLimit = (why: string): (() => void) =>
    deps.timer.after(limitMs, () => {
      answer(unmet(why));
      stop.abort();
    });
  const work = async (): Promise<void> => {
    const stopWaiting = giveUpAfterLimit('other checks took too long');
    await before;
    const leave = await places.enter(stop.signal);
    stopWaiting();
    if (leave === null) return answer(notWaitedFor);
    // Also covers looking for the program: a folder on a disk that does not answer must not hold anybody up.
    const callOff = giveUpAfterLimit(`did not end within ${Math.ceil(limitMs / 1_000)} s`);
    try {
      const plan = await planCommand(settings, deps.surroundings);
      const treated = { ...deps, umask: umaskOf(settings, deps.umask) };
      answer(plan.kind === 'refused' ? unmet(plan.detail) : await execute(plan, treated, stop.signal));
    } catch (error) {
      answer(unmet(error instanceof Error ? error.message : String(error)));
    } finally {
      callOff();
      leave();
    }
  };
  return { answer: answered, over: work() };
}

async function execute(
  plan: Extract<CommandPlan, { kind: 'ready' }>,
  deps: ConditionCommandDeps,
  stop: AbortSignal,
): Promise<ConditionAnswer> {
  if (stop.aborted) return notWaitedFor;
  const runId = deps.ids.next();
  const shell = findShimShell();
  let child: Awaited<ReturnType<typeof started>>;
  try {
    child = await started(
      spawn(shell.path, plainArguments({ ...plan, ...shell, umask: deps.umask }), {
        argv0: 'sh',
        cwd: plan.folder,
        // What has left the group is found by this, as with a run.
        env: { ...plan.environment, BELFRY_RUN_ID: runId },
        detached: true,
        stdio: 'ignore',
      }),
    );
  } catch (error) {
    return unmet((await explain(error, plan)).detail);
  }
  const identity = identify(child.pid, deps);
  const group = processGroup(identity, { runId, processes: deps.processes, isOwnChild: child.isRunning });
  let killed: Promise<unknown> = Promise.resolve();
  const kill = (): void => {
    killed = group.signal('SIGKILL');
  };
  stop.addEventListener('abort', kill, { once: true });
  if (stop.aborted) kill();
  const { code, signal } = await child.ended;
  stop.removeEventListener('abort', kill);
  await killed;
  if (group.mayHaveMembers()) await group.signal('SIGKILL');
  if (code === 0) return met;
  return unmet(code === null ? `ended by ${signal}` : `exit code ${code}`);
}
