/**
 * Requests about the store as a whole: its size and its copies, lists of all runs, who runs the jobs, and what to do about a
 * store that was refused.
 */

import type { Handlers, RequestName } from '../../shared/ipc/contract';
import { fail, ok } from '../../shared/result';
import type { Engine } from '../engine/engine';
import type { DataActions } from '../ports/data';
import type { WindowSide } from './window';

/** What the process around the engine knows. */
export type DataSources = {
  readonly data: DataActions;
  /** The data folder. */
  readonly folder: string;
  /** null for a process without windows. */
  readonly windowSide: WindowSide | null;
};

type RescueRequest = Extract<RequestName, `rescue.${string}`> | 'data.reveal' | 'app.quit';

/** These work whether or not the store is open. */
export const rescueHandlers = ({
  data,
  folder,
  windowSide: side,
}: DataSources): Pick<Handlers, RescueRequest> => ({
  'rescue.get': async () => ok(await data.rescueState()),
  'rescue.retry': async () => ok(await data.retry()),
  'rescue.act': (input) => data.act(input),
  'rescue.cancelRepair': async () => {
    data.cancelRepair();
    return ok(undefined);
  },
  'rescue.export': async () => {
    if (side === null) return onlyTheWindow;
    const file = await side.chooseNewFile('belfry-export.json');
    if (file === null) return ok(null);
    const done = await data.exportTo(file);
    return done.ok ? ok({ file, ...done.value }) : done;
  },
  'data.reveal': async () => {
    if (side === null) return onlyTheWindow;
    await side.revealFolder(folder);
    return ok(undefined);
  },
  'app.quit': async () => {
    if (side === null) return onlyTheWindow;
    side.quit();
    return ok(undefined);
  },
});

const onlyTheWindow = fail('unsupported', 'Only the window can do that.');

type DataRequest =
  | 'data.get'
  | 'data.check'
  | 'backups.list'
  | 'backups.create'
  | 'backups.restore'
  | 'runs.find'
  | 'runs.counts'
  | 'engine.handOver';

export const dataHandlers = (
  engine: Engine,
  { data }: Pick<DataSources, 'data'>,
): Pick<Handlers, DataRequest> => ({
  'data.get': () => engine.dataFacts(),
  'data.check': () => engine.checkData(),
  'backups.list': () => engine.backups(),
  'backups.create': () => engine.backUp('manual'),
  'backups.restore': ({ backupId }) => data.restoreOpen(backupId),
  'runs.find': ({ after, limit, ...query }) => engine.findRuns({ query, after, limit }),
  'runs.counts': (span) => engine.runCounts(span),
  'engine.handOver': () => engine.handOver(),
});
