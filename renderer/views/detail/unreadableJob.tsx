/**
 * A job whose stored form cannot be read. It is shown and left as it is: its history can be looked at and it can be deleted, but
 * nothing that would need its settings is offered.
 */
import { ChevronLeft, CircleAlert } from 'lucide-react';
import type { JobRow } from '../../../shared/model/job';
import { Banner } from '../../ui/banner';
import { Button, IconButton } from '../../ui/button';
import { Icon } from '../../ui/icon';
import { texts as dataTexts } from '../data/texts';
import { Glyph, glyphOfState } from '../glyph';
import { useJobActions } from '../jobs/actions';
import { useStores } from '../stores';
import { RunHistory } from './runsTab';
import { texts } from './texts';

const words = texts.unreadable;

export function UnreadableJob({ row, onBack }: { row: JobRow; onBack: (() => void) | null }) {
  const { place } = useStores();
  const actions = useJobActions();
  return (
    <>
      <div className="detail-head">
        <div className="detail-title">
          {onBack === null ? null : (
            <IconButton icon={ChevronLeft} label={texts.back} isSmall shortcut="escape" onPress={onBack} />
          )}
          <Glyph name={glyphOfState[row.state]} />
          <h2 className="ellipsis" title={row.name}>
            {row.name}
          </h2>
        </div>
        <p className="detail-summary mono ellipsis" title={row.summary}>
          {row.summary}
        </p>
        <div className="detail-actions">
          <Button onPress={() => place.getState().change({ question: { ask: 'data' } })}>
            {dataTexts.open}
          </Button>
          <Button onPress={() => actions.copyId(row.id)}>{words.copyId}</Button>
          <span className="grow" />
          <Button variant="danger" onPress={() => actions.remove(row.id, row.name)}>
            {words.remove}
          </Button>
        </div>
      </div>
      <div className="detail-banner">
        <Banner kind="fail" isQuiet icon={<Icon of={CircleAlert} />} title={words.title}>
          {words.text}
        </Banner>
      </div>
      <section className="unreadable-history" aria-label={words.history}>
        <RunHistory job={row} nextAt={null} />
      </section>
    </>
  );
}
