/**
 * The load: jobs of every policy that are due every second or so. Each command leaves one line when it begins and one when it
 * ends in a file of its own job, so that starts are counted by somebody who knows nothing of the store.
 */

/** The end of each: it sets the exit code. `gated` goes on until somebody makes the file. */
const BODIES = {
  quick: 'code=0',
  second: 'sleep 1; code=0',
  long: 'sleep 3; code=0',
  gated: 'while [ ! -e "$f.gate" ]; do sleep 0.05; done; code=7',
  failing: 'code=3',
  fickle: 'case "$BELFRY_ATTEMPT" in 1) code=5;; *) code=0;; esac',
};

/** @typedef {keyof typeof BODIES} Body */

/**
 * @typedef {object} Load
 * @property {string} name
 * @property {any} draft
 * @property {'untouched' | 'edited'} part edited by the person, or left alone so that its grid can be checked without a hole
 * @property {boolean} isOnceEach no attempt may begin twice and no run may be tried again
 */

/** @param {string} evidence @param {string} name @param {Body} body */
const lineOf = (evidence, name, body) =>
  `f='${evidence}/${name}'; ` +
  `echo "b $BELFRY_RUN_ID $BELFRY_ATTEMPT \${BELFRY_PLANNED_AT:--} $BELFRY_TRIGGER $(date +%s%3N)" >> "$f"; ` +
  `${BODIES[body]}; echo "e $BELFRY_RUN_ID $BELFRY_ATTEMPT $code" >> "$f"; exit $code`;

const everySecond = {
  kind: 'cron',
  expression: '* * * * * *',
  zone: 'UTC',
  dayMatch: 'either',
  gap: 'run_after',
  repeat: 'first',
};
const threeSeconds = { ...everySecond, expression: '*/3 * * * * *' };

/** @param {string} evidence @param {string} name @param {Partial<{ body: Body, rules: any[], policies: any, conditions: any[], tags: string[] }>} how */
export const draftOf = (
  evidence,
  name,
  { body = 'quick', rules = [everySecond], policies = {}, conditions = [], tags = [] } = {},
) => ({
  name,
  settings: {
    kind: 'command',
    form: 'shell',
    line: lineOf(evidence, name, body),
    shell: '/bin/sh',
    program: '',
    arguments: [],
    folder: '',
    variables: [],
  },
  tags,
  notes: '',
  isEnabled: true,
  policies: {
    catchUp: { mode: 'once', ageMsMax: null },
    overlap: { mode: 'skip' },
    timeoutMs: null,
    graceMs: 1_000,
    ...policies,
  },
  conditions,
  schedules: rules.map((rule) => ({ rule })),
});

const retry = { countMax: 2, delayMs: 500, growth: 'fixed', delayMsMax: 1_000, exitCodes: null };
const check = (/** @type {string} */ line) => ({
  kind: 'check_command',
  settings: {
    kind: 'command',
    form: 'shell',
    line,
    shell: '/bin/sh',
    program: '',
    arguments: [],
    folder: '',
    variables: [],
  },
  waitMsMax: 0,
  otherwise: 'skip',
});

/** @param {string} evidence @returns {Load[]} */
export function loadOf(evidence) {
  /** @param {string} name @param {Parameters<typeof draftOf>[2]} how */
  const untouched = (name, how) => job(name, 'untouched', how);
  /** @param {string} name @param {Parameters<typeof draftOf>[2]} how */
  const edited = (name, how) => job(name, 'edited', how);
  /** @param {string} name @param {Load['part']} part @param {any} how @returns {Load} */
  const job = (name, part, how) => ({
    name,
    part,
    draft: draftOf(evidence, name, how),
    isOnceEach: how.policies?.retry === undefined && how.policies?.afterInterruption !== 'repeat',
  });
  return [
    untouched('skip', {}),
    untouched('skip-long', { body: 'long' }),
    untouched('none', { policies: { catchUp: { mode: 'none', ageMsMax: null } } }),
    untouched('all', {
      rules: [threeSeconds],
      policies: { catchUp: { mode: 'all', ageMsMax: null, countMax: 5 } },
    }),
    untouched('grid', { rules: [{ kind: 'interval', everyMs: 2_000, basis: 'grid' }] }),
    edited('queue-one', { body: 'second', policies: { overlap: { mode: 'queue_one' } } }),
    edited('queue-all', {
      body: 'second',
      rules: [threeSeconds],
      policies: { overlap: { mode: 'queue_all', countMax: 3 } },
    }),
    edited('replace', { body: 'long', rules: [threeSeconds], policies: { overlap: { mode: 'replace' } } }),
    edited('allow', { body: 'second', policies: { overlap: { mode: 'allow', countMax: 2 } } }),
    edited('failing', { body: 'failing', rules: [threeSeconds] }),
    edited('retried', { body: 'fickle', rules: [threeSeconds], policies: { retry } }),
    edited('repeated', { body: 'second', rules: [threeSeconds], policies: { afterInterruption: 'repeat' } }),
    edited('jitter', { rules: [threeSeconds], policies: { jitterMs: 1_000 } }),
    edited('after-end', { rules: [{ kind: 'interval', everyMs: 1_000, basis: 'after_end' }] }),
    edited('on-start', { rules: [{ kind: 'event', on: 'start' }] }),
    edited('checked', { rules: [threeSeconds], conditions: [check('exit 0')] }),
    edited('checked-not', { rules: [threeSeconds], conditions: [check('exit 1')] }),
    edited('tagged', { rules: [threeSeconds], tags: ['quiet'] }),
    edited('by-hand', { rules: [], body: 'second' }),
  ];
}

/** The job that each run of another one starts. @param {string} evidence @param {string} jobId @returns {Load} */
export const chained = (evidence, jobId) => ({
  name: 'chained',
  part: 'edited',
  draft: draftOf(evidence, 'chained', { rules: [{ kind: 'after_job', jobId, on: 'ended' }] }),
  isOnceEach: true,
});
