/** What the list of jobs says. */
import type { JobKind } from '../../../shared/kinds/registry';
import { shortName } from '../../format';

export const texts = {
  title: 'Jobs',
  list: 'Jobs',
  columns: { state: 'State', job: 'Job', schedule: 'Schedule', strip: 'Last 30 runs', next: 'Next' },
  filter: 'Filter jobs',
  filterPlaceholder: 'Filter by name, tag or state',
  clearFilter: 'Clear filter',
  unknownFilter: (name: string) => `No filter called “${name}:”. Searching for the text instead.`,
  sort: 'Sort',
  sorts: {
    attention: 'Needs attention',
    next: 'Next run',
    name: 'Name',
    last_run: 'Last run',
  },
  orderChanged: 'Order changed.',
  refresh: 'Refresh',
  kinds: { command: 'Shell command', script: 'Script' } satisfies Record<JobKind, string>,
  actions: {
    menu: 'Actions',
    open: 'Open',
    run: 'Run now',
    runAgain: 'Run again…',
    pause: 'Pause…',
    why: 'Ask why…',
    stop: 'Stop…',
    edit: 'Edit',
    enable: 'Switch on',
    disable: 'Switch off',
    duplicate: 'Duplicate',
    copyId: 'Copy ID',
    remove: 'Delete',
    newJob: 'New job',
  },
  loading: 'Loading jobs',
  stillLoading: 'Still loading…',
  failed: {
    title: 'The list of jobs could not be loaded.',
    calm: 'Your jobs keep running.',
  },
  empty: {
    title: 'Nothing is scheduled yet.',
    text: 'Write your first job, or start from one of these.',
  },
  noMatch: {
    title: (filter: string) => `No job matches ${filter}.`,
    text: 'Words match name, command and tags. state: and tag: narrow further.',
  },
  /** In the place of what is due next. */
  unreadable: 'Unreadable',
  said: {
    started: (name: string) => `Started “${shortName(name)}”.`,
    queued: (name: string) => `“${shortName(name)}” runs again after this run.`,
    replacing: (name: string) => `Stopping “${shortName(name)}”, then it starts again.`,
    staysOff: (name: string) => `“${shortName(name)}” stays off.`,
    notRunning: (name: string) => `“${shortName(name)}” is not running.`,
    stopping: (name: string) => `Stopping “${shortName(name)}”.`,
    enabled: (name: string) => `“${shortName(name)}” is on.`,
    disabled: (name: string) => `“${shortName(name)}” is off. Its due times are not run.`,
    duplicated: (name: string) => `Made “${shortName(name)}”. It is off until you switch it on.`,
    deleted: (name: string) => `Deleted “${shortName(name)}”`,
    restored: (name: string) => `“${shortName(name)}” is back.`,
    unreadable:
      'Its stored settings could not be read, so it can neither run nor be changed. Put back a copy from before, or delete it.',
    copied: 'Copied the ID.',
    shown: (count: string) => `${count} shown`,
  },
  /** What was found of the process of an interrupted run. */
  found: {
    over: 'Its process is over.',
    running: 'Its process still goes on.',
    unknown: 'Its process was not found, and that it is over cannot be proven.',
  },
  runAgainQuestion: {
    title: (name: string) => `“${name}” is running. Run it again?`,
    no: 'Cancel',
    queue: 'After this run',
    replace: 'Stop and start again',
    beside: 'Beside this run',
  },
  stopQuestion: {
    title: (name: string) => `Stop “${name}”?`,
    body: (grace: string) => `It gets ${grace} to finish, then it is killed.`,
    bodyUnknown: 'It gets a moment to finish, then it is killed.',
    yes: 'Stop run',
    no: 'Keep running',
  },
  deleteQuestion: {
    title: (name: string) => `“${name}” is running. Stop it too?`,
    body: 'Its history is kept, and the job can be brought back.',
    yes: 'Stop and delete',
    no: 'Cancel',
  },
  examples: [
    {
      id: 'backup',
      label: 'Back up a folder every day at 13:00',
      name: 'Back up Documents',
      line: 'mkdir -p ~/Backups && tar -czf ~/Backups/documents-$(date +%F).tar.gz -C ~ Documents',
      expression: '0 13 * * *',
    },
    {
      id: 'ping',
      label: 'Ping a server every 5 minutes',
      name: 'Ping a server',
      line: 'ping -c 3 example.com',
      expression: '*/5 * * * *',
    },
    {
      id: 'reminder',
      label: 'Remind me to stand up',
      name: 'Stand up',
      line: 'notify-send "Stand up" "You have been sitting for an hour."',
      lineOnMac:
        'osascript -e \'display notification "You have been sitting for an hour." with title "Stand up"\'',
      expression: '55 9-16 * * 1-5',
    },
  ],
} as const;
