/** What a person does in a simulated life: makes, edits, switches, deletes, pauses, starts and stops, by chance. */

import type { JobId } from '../../shared/model/job';
import type { Run } from '../../shared/model/run';
import { HOUR_MS, MINUTE_MS, toInstant } from '../../shared/time';
import type { Engine } from '../engine/engine';
import type { Random } from './random';
import { randomDraft, TAGS } from './randomJobs';
import type { Rig } from './rig';

const JOBS_IN_LIFE_MAX = 10;

export class Person {
  readonly #random: Random;
  readonly #rig: Rig;
  #deleted: JobId[] = [];

  constructor(random: Random, rig: Rig) {
    this.#random = random;
    this.#rig = rig;
  }

  /** A process that dies under a request answers nothing. */
  async ask<T>(request: (engine: Engine) => Promise<T>): Promise<T | null> {
    const { engine, incarnation } = this.#rig;
    return Promise.race([request(engine), incarnation.died.then(() => null)]);
  }

  async addJob(): Promise<void> {
    const jobs = await this.#jobIds();
    if (jobs.length < JOBS_IN_LIFE_MAX)
      await this.ask((engine) => engine.saveJob({ draft: this.#draft(jobs) }));
  }

  async editJob(): Promise<void> {
    const jobId = await this.#jobId();
    if (jobId === null) return;
    const job = await this.#rig.store.read((reader) => reader.jobs.get(jobId));
    const kept = job?.schedules.slice(0, this.#random.between(0, 2)) ?? [];
    const draft = this.#draft((await this.#jobIds()).filter((id) => id !== jobId));
    const schedules = [...kept, ...draft.schedules].slice(0, 5);
    await this.ask((engine) => engine.saveJob({ jobId, draft: { ...draft, schedules } }));
  }

  async switchJob(): Promise<void> {
    const jobId = await this.#jobId();
    const isEnabled = this.#random.isTrue(0.7);
    if (jobId !== null) await this.ask((engine) => engine.setEnabled({ jobId, isEnabled }));
  }

  async deleteOrRestore(): Promise<void> {
    const [jobId] = this.#deleted;
    if (jobId !== undefined && this.#random.isTrue(0.5)) {
      this.#deleted = this.#deleted.slice(1);
      await this.ask((engine) => engine.restoreJob(jobId));
      return;
    }
    const present = await this.#jobId();
    if (present === null) return;
    const stopRun = this.#random.isTrue(0.5);
    const deleted = await this.ask((engine) => engine.deleteJob({ jobId: present, stopRun }));
    if (deleted?.ok) this.#deleted.push(present);
  }

  async runByHand(): Promise<void> {
    const jobId = await this.#jobId();
    const trigger = this.#random.pick(['manual', 'manual', 'cli', 'test'] as const);
    const ifActive = this.#random.pick(['refuse', 'queue', 'replace', 'beside'] as const);
    if (jobId !== null) await this.ask((engine) => engine.startRun(jobId, trigger, ifActive));
  }

  async stopRun(): Promise<void> {
    const run = await this.#activeRun();
    if (run !== null) await this.ask((engine) => engine.stopRun(run.id));
  }

  /** A run that waits is told to wait no longer. */
  async hurry(): Promise<void> {
    const run = await this.#activeRun();
    if (run !== null) await this.ask((engine) => engine.startNow(run.id));
  }

  async checkAndResume(): Promise<void> {
    const jobId = await this.#jobId();
    if (jobId !== null) await this.ask((engine) => engine.checkAndResume(jobId));
  }

  async pause(): Promise<void> {
    const jobId = await this.#jobId();
    const isOpen = this.#random.isTrue(0.3);
    const lasts = this.#random.between(MINUTE_MS, 20 * HOUR_MS);
    const until = isOpen ? null : toInstant(this.#rig.time.clock.now() + lasts);
    const scope = this.#random.pick([
      { kind: 'tag' as const, tag: this.#random.pick(TAGS) },
      jobId === null ? { kind: 'all' as const } : { kind: 'job' as const, jobId },
      { kind: 'all' as const },
    ]);
    await this.ask((engine) => engine.startPause({ scope, note: '', until }));
  }

  async goOn(): Promise<void> {
    const [pause] = (await this.ask((engine) => engine.pauses())) ?? [];
    if (pause !== undefined) await this.ask((engine) => engine.endPause(pause.id));
  }

  #draft(others: readonly JobId[]) {
    return randomDraft({ random: this.#random, now: this.#rig.time.clock.now(), others });
  }

  async #jobIds(): Promise<JobId[]> {
    return (await this.#rig.store.read((reader) => reader.jobs.list())).map(({ id }) => id);
  }

  async #jobId(): Promise<JobId | null> {
    const ids = await this.#jobIds();
    return ids.length === 0 ? null : this.#random.pick(ids);
  }

  async #activeRun(): Promise<Run | null> {
    const runs = await this.#rig.store.read((reader) => reader.runs.active());
    return runs.length === 0 ? null : this.#random.pick(runs);
  }
}
