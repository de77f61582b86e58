/** Requests of the editor that look ahead without saving: what a schedule will do, and what is known of a command. */

import type { Handlers } from '../../shared/ipc/contract';
import { ok } from '../../shared/result';
import type { Engine } from '../engine/engine';
import type { CommandInspector } from '../ports/running';

type ScheduleHandlers = Pick<Handlers, 'schedules.preview' | 'preview.whatIf' | 'commands.check'>;

export const scheduleHandlers = (engine: Engine, commands: CommandInspector): ScheduleHandlers => ({
  'schedules.preview': async ({ rules, rowsMax, dates }) => ok(engine.preview(rules, rowsMax, dates)),
  'preview.whatIf': (query) => engine.whatIf(query),
  'commands.check': async (draft) => ok(await commands.check(draft)),
});
