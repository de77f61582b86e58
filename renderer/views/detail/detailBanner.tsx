/** The one thing about a job that needs saying: it failed, it missed a due time, it is off. Reason first, then the button. */
import type { ReactNode } from 'react';
import type { JobDetail } from '../../../shared/ipc/contract';
import type { JobRow } from '../../../shared/model/job';
import type { Decision, Run } from '../../../shared/model/run';
import { counted, since } from '../../format';
import { useSelected } from '../../store/select';
import { Banner, type BannerKind } from '../../ui/banner';
import { Button } from '../../ui/button';
import { Glyph, type GlyphName, glyphOfState } from '../glyph';
import { useJobActions } from '../jobs/actions';
import { PauseBanner } from '../pauseBanner';
import { skipSentence } from '../skipWords';
import { useNow, useNowNear, useStores } from '../stores';
import { disabledSentence, endSentence, isBad, whySentence } from '../words';
import { PendingBanner } from './pendingBanner';
import { texts } from './texts';

const words = texts.banner;

type BannerProps = { row: JobRow; detail: JobDetail };

export function DetailBanner({ row, detail }: BannerProps) {
  const { latestRun, activeRun } = detail;
  if (activeRun !== null) return <PendingBanner run={activeRun} job={detail.job} />;
  if (!row.isEnabled) return <OffBanner row={row} />;
  const own = detail.pauses.filter(({ scope }) => scope.kind === 'job');
  if (own.length > 0) {
    return (
      <div className="detail-banner">
        <PauseBanner pauses={own} isQuiet />
      </div>
    );
  }
  if (latestRun !== null && isBad(latestRun)) return <BadRunBanner row={row} run={latestRun} />;
  if (row.state === 'missed') return <MissedBanner row={row} />;
  if (row.state === 'caught_up' && latestRun !== null) return <CaughtUpBanner run={latestRun} />;
  return null;
}

type NoteProps = {
  kind: BannerKind;
  glyph: GlyphName;
  title: string;
  action?: ReactNode;
  children: ReactNode;
};

const Note = ({ kind, glyph, title, action, children }: NoteProps) => (
  <div className="detail-banner">
    <Banner kind={kind} icon={<Glyph name={glyph} isDecoration />} title={title} isQuiet actions={action}>
      {children}
    </Banner>
  </div>
);

function BadRunBanner({ row, run }: { row: JobRow; run: Run }) {
  const { place } = useStores();
  const endedAt = run.endedAt ?? run.queuedAt;
  const when = since(endedAt, useNowNear(endedAt));
  const title =
    run.outcome === 'timed_out'
      ? words.timedOut(when)
      : run.outcome === 'abandoned'
        ? words.interrupted(when)
        : words.failed(when);
  const open = (): void => place.getState().change({ tab: 'log', shownRunId: run.id });
  return (
    <Note
      kind="fail"
      glyph={glyphOfState[row.state === 'running' ? 'failed' : row.state]}
      title={title}
      action={
        <Button isSmall onPress={open}>
          {words.openLog}
        </Button>
      }
    >
      {endSentence(run)}
    </Note>
  );
}

/** The newest due time that was not met, if the history is here already. */
function useNewestSkip(): Decision | undefined {
  const { history } = useStores();
  const entry = useSelected(history, (state) => state.entries?.find((one) => one.entry === 'skip'));
  return entry?.entry === 'skip' ? entry.decision : undefined;
}

function MissedBanner({ row }: { row: JobRow }) {
  const skip = useNewestSkip();
  const now = useNowNear(skip?.untilAt ?? null);
  const actions = useJobActions();
  const when = skip === undefined ? '' : since(skip.untilAt, now);
  const title =
    skip === undefined
      ? words.missedUnknown
      : skip.count > 1
        ? words.missedMany(counted(skip.count, 'due time'), when)
        : words.missed(when);
  return (
    <Note
      kind="warn"
      glyph="missed"
      title={title}
      action={
        <Button isSmall onPress={() => actions.run(row.id, row.name)}>
          {words.runNow}
        </Button>
      }
    >
      {skip === undefined ? null : skipSentence(skip)}
    </Note>
  );
}

function CaughtUpBanner({ run }: { run: Run }) {
  const now = useNow('minute');
  return (
    <Note kind="warn" glyph="caught" title={words.caughtUp}>
      {whySentence(run, now)}
    </Note>
  );
}

function OffBanner({ row }: { row: JobRow }) {
  const { navigation } = useStores();
  const actions = useJobActions();
  const reason = row.disabledReason ?? 'user';
  if (reason === 'interrupted') {
    return (
      <Note
        kind="warn"
        glyph="interrupted"
        title={words.offInterrupted}
        action={
          <Button isSmall onPress={() => actions.checkAndResume(row.id, row.name)}>
            {words.check}
          </Button>
        }
      >
        {words.offInterruptedText}
      </Note>
    );
  }
  const needsEdit = reason === 'finished' || reason === 'schedule_error';
  return (
    <Note
      kind="info"
      glyph="paused"
      title={words.off}
      action={
        needsEdit ? (
          <Button isSmall onPress={() => navigation.editJob(row.id)}>
            {words.edit}
          </Button>
        ) : (
          <Button isSmall onPress={() => actions.setEnabled(row.id, row.name, true)}>
            {words.switchOn}
          </Button>
        )
      }
    >
      {disabledSentence[reason]}
    </Note>
  );
}
