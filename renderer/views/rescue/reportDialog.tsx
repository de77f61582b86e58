/** What was done to the store, for whoever chose it; the normal window waits behind it. */
import type { RescueReport } from '../../../shared/model/data';
import { useSelected } from '../../store/select';
import { Button } from '../../ui/button';
import { FormDialog } from '../../ui/formDialog';
import { Path } from '../../ui/path';
import { useStores } from '../stores';
import { texts } from './texts';

const words = texts.report;

/** After a rescue, or after a copy was put back from the open window. */
export function Reports() {
  const { rescue, data } = useStores();
  const ofRescue = useSelected(rescue, (state) => state.report);
  const ofRestore = useSelected(data, (state) => state.report);
  if (ofRescue !== null) {
    return (
      <Report report={ofRescue} closeLabel={words.open} onClose={() => rescue.getState().closeReport()} />
    );
  }
  if (ofRestore === null) return null;
  return <Report report={ofRestore} closeLabel={words.close} onClose={() => data.getState().closeReport()} />;
}

type ReportProps = { report: RescueReport; closeLabel: string; onClose: () => void };

function Report({ report, closeLabel, onClose }: ReportProps) {
  const { keptFile } = report;
  // Where the old file lies is shown below, as a path that can be copied.
  const sentences = report.sentences.filter((sentence) => keptFile === null || !sentence.includes(keptFile));
  return (
    <FormDialog
      title={words.titles[report.choice]}
      onClose={onClose}
      actions={
        <Button variant="primary" autoFocus onPress={onClose}>
          {closeLabel}
        </Button>
      }
    >
      <div className="report">
        {sentences.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        {keptFile === null ? null : (
          <p className="report-kept">
            {words.kept} <Path path={keptFile} />
          </p>
        )}
      </div>
    </FormDialog>
  );
}
