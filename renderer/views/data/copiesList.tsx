/** The copies of the store, newest first, each with what it holds and the way back to it. */
import type { Backup } from '../../../shared/model/data';
import { size } from '../../format';
import { useSelected } from '../../store/select';
import { Button } from '../../ui/button';
import { useNow, useStores } from '../stores';
import { capital, dayAndTime, holdings, reasonWords } from './backupWords';
import { texts } from './texts';

const words = texts.copies;

export function CopiesList({ onPutBack }: { onPutBack: (copy: Backup) => void }) {
  const { data, status } = useStores();
  const backups = useSelected(data, (state) => state.backups);
  const isElsewhere = useSelected(status, (state) => state.status?.state === 'standby');
  if (backups === null) return null;
  return (
    <section aria-labelledby="data-copies">
      <h3 id="data-copies">{words.title}</h3>
      {backups.length === 0 ? <p className="field-help">{words.none}</p> : null}
      {isElsewhere ? <p className="field-help">{words.elsewhere}</p> : null}
      {backups.length === 0 ? null : (
        <table className="copies" aria-labelledby="data-copies">
          <thead>
            <tr>
              <th scope="col">{words.when}</th>
              <th scope="col">{words.why}</th>
              <th scope="col">{words.holds}</th>
              <th scope="col" className="copies-size">
                {words.size}
              </th>
              <th scope="col">
                <span className="sr">{words.act}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {backups.map((copy) => (
              <CopyRow
                key={copy.id}
                copy={copy}
                onPutBack={isElsewhere || copy.problem !== null ? null : () => onPutBack(copy)}
              />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function CopyRow({ copy, onPutBack }: { copy: Backup; onPutBack: (() => void) | null }) {
  const now = useNow('minute');
  const when = dayAndTime(copy.madeAt, now);
  return (
    <tr>
      <td className="num">{capital(when)}</td>
      <td>{capital(reasonWords[copy.reason])}</td>
      <td className="num">
        {copy.problem === null ? holdings(copy) : <span className="tone-fail">{copy.problem}</span>}
      </td>
      <td className="num copies-size">{size(copy.bytes)}</td>
      <td>
        {onPutBack === null ? null : (
          <Button isSmall label={words.putBackOf(when)} onPress={onPutBack}>
            {words.putBack}
          </Button>
        )}
      </td>
    </tr>
  );
}
