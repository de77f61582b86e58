/** Jobs as a story needs them, without going through the editor. */
import { emptyCommandSettings } from '../shared/kinds/command';
import type { JobDraftInput } from '../shared/model/job';
import { defaultPolicies } from '../shared/model/policies';
import type { ScheduleRule } from '../shared/model/schedule';

/** A job that runs `line` in a shell, by hand only unless `rule` says when. */
export const shellJob = (name: string, line: string, rule?: ScheduleRule): JobDraftInput => ({
  name,
  settings: { ...emptyCommandSettings, line, shell: '/bin/sh' },
  tags: [],
  notes: '',
  isEnabled: true,
  policies: defaultPolicies,
  schedules: rule === undefined ? [] : [{ rule }],
});

export const cronRule = (expression: string): ScheduleRule => ({
  kind: 'cron',
  expression,
  zone: 'local',
  dayMatch: 'either',
  gap: 'run_after',
  repeat: 'first',
});
