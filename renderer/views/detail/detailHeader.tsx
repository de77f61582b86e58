/** The head of the pane: state, name, what it runs, and the actions one needs most. */
import { ChevronLeft, CircleHelp, Ellipsis, Pencil, Play, Square } from 'lucide-react';
import type { JobDetail } from '../../../shared/ipc/contract';
import type { JobRow } from '../../../shared/model/job';
import { Button, IconButton } from '../../ui/button';
import { PauseIcon } from '../../ui/icon';
import { IconMenu } from '../../ui/menu';
import { Switch } from '../../ui/switch';
import { Glyph, glyphOfState } from '../glyph';
import { useJobActions } from '../jobs/actions';
import { lesserEntries } from '../jobs/rowMenu';
import { usePauseActions } from '../pauseActions';
import { pauseEntries } from '../pauseMenu';
import { useStores } from '../stores';
import { texts } from './texts';

type HeaderProps = { row: JobRow; detail: JobDetail | null; onBack: (() => void) | null };

export function DetailHeader({ row, detail, onBack }: HeaderProps) {
  const { navigation } = useStores();
  const actions = useJobActions();
  const pauses = usePauseActions();
  const activeRun = detail?.activeRun ?? null;
  return (
    <div className="detail-head">
      <div className="detail-title">
        {onBack === null ? null : (
          <IconButton icon={ChevronLeft} label={texts.back} isSmall shortcut="escape" onPress={onBack} />
        )}
        <Glyph name={glyphOfState[row.state]} />
        <h2 className="ellipsis" title={row.name}>
          {row.name}
        </h2>
        <Switch
          label={texts.enabled}
          isOn={row.isEnabled}
          onChange={(isOn) => actions.setEnabled(row.id, row.name, isOn)}
        />
      </div>
      <p className="detail-summary mono ellipsis" title={row.summary}>
        {row.summary}
      </p>
      <div className="detail-actions">
        {activeRun === null ? (
          <Button icon={Play} shortcut="r" onPress={() => actions.run(row.id, row.name)}>
            {texts.run}
          </Button>
        ) : (
          <Button icon={Square} shortcut="s" onPress={() => actions.stop(activeRun.id, row.name)}>
            {texts.stop}
          </Button>
        )}
        <Button icon={Pencil} shortcut="e" onPress={() => navigation.editJob(row.id)}>
          {texts.edit}
        </Button>
        <span className="grow" />
        <IconMenu
          label={texts.pause}
          icon={PauseIcon}
          entries={pauseEntries({ kind: 'job', jobId: row.id }, row.name, pauses)}
        />
        <IconButton icon={CircleHelp} label={texts.ask} onPress={() => actions.why(row.id, row.name)} />
        <IconMenu label={texts.more} icon={Ellipsis} entries={lesserEntries(row, actions)} />
      </div>
    </div>
  );
}
