/** "What would happen": a scenario, and what becomes of each due time in it. The engine lives through it; nothing runs. */
import { Globe, Info } from 'lucide-react';
import { useMemo } from 'react';
import type { WhatIfRow } from '../../../shared/model/whatIf';
import { MINUTE_MS } from '../../../shared/time';
import { counted, fullMoment, moment } from '../../format';
import { SCENARIOS } from '../../store/scenario';
import { useSelected } from '../../store/select';
import { Banner } from '../../ui/banner';
import { ComboBox } from '../../ui/comboBox';
import { Icon } from '../../ui/icon';
import { Select } from '../../ui/select';
import { TextField } from '../../ui/textField';
import { Glyph, type GlyphName } from '../glyph';
import { CAUSES, glyphOfSkip } from '../skipWords';
import { useNow, useStores } from '../stores';
import { texts } from './policyTexts';
import { namedZones } from './zoneField';

const words = texts.whatIf;
/** More rows than this are for a timeline, not for a column. */
const ROWS_SHOWN = 60;

export function WhatIfPanel() {
  const { whatIf } = useStores();
  const kind = useSelected(whatIf, (state) => state.scenario.kind);
  return (
    <section className="what-if" aria-labelledby="what-if">
      <h3 id="what-if" className="next-head">
        {words.title}
      </h3>
      <div className="what-if-scenario">
        <Select
          label={words.scenario}
          value={kind}
          options={SCENARIOS.map((id) => ({ id, label: words.scenarios[id] }))}
          onChange={(id) => whatIf.getState().suppose({ kind: id })}
        />
        <ScenarioFields />
      </div>
      {kind === 'nothing' ? <p className="field-help">{words.help}</p> : <Answer />}
    </section>
  );
}

function ScenarioFields() {
  const { whatIf } = useStores();
  const { kind, from, until, zone } = useSelected(whatIf, (state) => state.scenario);
  const zones = useMemo(namedZones, []);
  const { suppose } = whatIf.getState();
  if (kind === 'elsewhere') {
    return (
      <ComboBox
        look="field"
        label={words.zone}
        openLabel={words.openZones}
        icon={Globe}
        value={zone}
        options={zones}
        onChange={(id) => suppose({ zone: id })}
      />
    );
  }
  if (kind !== 'asleep') return null;
  return (
    <span className="what-if-times">
      <TextField
        label={words.from}
        isLabelHidden
        type="time"
        value={from}
        onChange={(time) => suppose({ from: time })}
      />
      <span>{words.until}</span>
      <TextField
        label={words.until}
        isLabelHidden
        type="time"
        value={until}
        onChange={(time) => suppose({ until: time })}
      />
    </span>
  );
}

function Answer() {
  const { whatIf } = useStores();
  const { answer, failure, isAsking, isUnfinished } = useSelected(whatIf, (state) => state);
  if (isUnfinished) return <p className="section-text">{words.unfinished}</p>;
  if (failure !== null) {
    return (
      <Banner isQuiet kind="info" icon={<Icon of={Info} />} title={words.failed}>
        {failure.code === 'busy' ? words.busy : failure.message}
      </Banner>
    );
  }
  if (answer === null) return <p className="section-text">{isAsking ? words.loading : words.none}</p>;
  if (answer.rows.length === 0) return <p className="section-text">{words.none}</p>;
  const isCut = answer.isCut || answer.rows.length > ROWS_SHOWN;
  return (
    <div className={isAsking ? 'what-if-old' : ''}>
      <table className="what-if-rows" aria-label={words.table}>
        <thead className="sr">
          <tr>
            <th scope="col">{words.columns.planned}</th>
            <th scope="col">{words.columns.what}</th>
            <th scope="col">{words.columns.why}</th>
          </tr>
        </thead>
        <tbody>
          {answer.rows.slice(0, ROWS_SHOWN).map((row) => (
            <Row key={`${row.scheduleId} ${row.plannedAt} ${row.reason} ${row.kind}`} row={row} />
          ))}
        </tbody>
      </table>
      {isCut ? <p className="field-help">{words.cut}</p> : null}
    </div>
  );
}

const glyphOf = (row: WhatIfRow): GlyphName => {
  if (row.kind === 'skip') return glyphOfSkip(row);
  if (row.kind === 'merge') return 'missed';
  return row.reason === 'caught_up' ? 'caught' : 'due';
};

/** `Made up afterwards: the laptop was asleep`. */
function whyOf({ reason, missCause }: WhatIfRow): string {
  const text = words.reasons[reason];
  return missCause === null ? text : words.because(text, CAUSES[missCause]);
}

function Row({ row }: { row: WhatIfRow }) {
  const now = useNow('minute');
  const { kind, plannedAt, startedAt, count, untilAt } = row;
  const isOnTime = startedAt !== null && startedAt - plannedAt < MINUTE_MS;
  const run =
    startedAt === null ? words.runsWaiting : isOnTime ? words.runsOnTime : words.runs(moment(startedAt, now));
  const what = kind === 'run' ? run : kind === 'merge' ? words.merged : words.skipped;
  return (
    <tr className={`what-if-${kind}`}>
      <td className="num" title={fullMoment(plannedAt, now)}>
        <Glyph name={glyphOf(row)} size={13} isDecoration />
        {moment(plannedAt, now)}
        {count > 1 ? (
          <span className="what-if-range">
            {' '}
            {words.range(counted(count, 'due time'), moment(untilAt, now))}
          </span>
        ) : null}
      </td>
      <td>{what}</td>
      <td>{whyOf(row)}</td>
    </tr>
  );
}
