/** One job in the list. A row is drawn again only when its job changes, or when its own countdown ticks. */
import { FileCode, type LucideIcon, SquareTerminal } from 'lucide-react';
import { memo } from 'react';
import type { JobKind } from '../../../shared/kinds/registry';
import type { JobId, JobRow as Row } from '../../../shared/model/job';
import { GridCell } from '../../ui/grid';
import { Icon } from '../../ui/icon';
import { Glyph, glyphOfState } from '../glyph';
import { useNowNear } from '../stores';
import { nextWord, type Word } from '../words';
import { Strip } from './strip';
import { texts } from './texts';

const KIND_ICONS: Readonly<Record<JobKind, LucideIcon>> = { command: SquareTerminal, script: FileCode };

/** The moment whose distance a row counts, if it counts one. */
const countedMoment = ({ next }: Row) =>
  next.code === 'due' || next.code === 'retry' ? next.at : next.code === 'running' ? next.since : null;

const UNREADABLE: Word = { text: texts.unreadable, spoken: texts.unreadable, tone: 'fail' };

function NextCell({ row }: { row: Row }) {
  const now = useNowNear(countedMoment(row));
  const { text, spoken, tone } = row.disabledReason === 'quarantined' ? UNREADABLE : nextWord(row.next, now);
  return (
    <GridCell className={`job-next num tone-${tone}`}>
      {spoken === text ? (
        text
      ) : (
        <>
          <span aria-hidden="true">{text}</span>
          <span className="sr">{spoken}</span>
        </>
      )}
    </GridCell>
  );
}

type JobRowProps = {
  row: Row;
  index: number;
  isSelected: boolean;
  isTabStop: boolean;
  /** As soon as the button goes down, so that the row with the focus and the selected one are the same. */
  onSelect: (jobId: JobId) => void;
  onOpen: (jobId: JobId) => void;
  onMenu: (jobId: JobId, x: number, y: number) => void;
};

export const JobRow = memo(function JobRow({
  row,
  index,
  isSelected,
  isTabStop,
  onSelect,
  onOpen,
  onMenu,
}: JobRowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid around the rows handles every key
    <div
      role="row"
      className={`job-row${row.isEnabled && row.next.code !== 'paused' ? '' : ' job-row-off'}`}
      data-job={row.id}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      tabIndex={isTabStop ? 0 : -1}
      onPointerDown={(event) => {
        // A finger may have come to scroll.
        if (event.button === 0 && event.pointerType !== 'touch') onSelect(row.id);
      }}
      onClick={() => onOpen(row.id)}
      onContextMenu={(event) => {
        event.preventDefault();
        onMenu(row.id, event.clientX, event.clientY);
      }}
    >
      <GridCell className="job-state">
        <Glyph name={glyphOfState[row.state]} />
      </GridCell>
      <GridCell className="job-name" title={row.name}>
        <Icon of={KIND_ICONS[row.kind]} size={14} />
        <span className="sr">{texts.kinds[row.kind]}: </span>
        <span className="ellipsis">{row.name}</span>
      </GridCell>
      <GridCell className="job-schedule ellipsis" title={row.scheduleShort}>
        {row.scheduleShort}
      </GridCell>
      <GridCell>
        <Strip spark={row.spark} />
      </GridCell>
      <NextCell row={row} />
    </div>
  );
});
