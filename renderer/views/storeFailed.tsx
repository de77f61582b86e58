/** The place of everything else when the data could not be read: what happened, and that nothing was touched. */
import { Copy } from 'lucide-react';
import { useSelected } from '../store/select';
import { Button } from '../ui/button';
import { Bell } from './glyph';
import { useStores } from './stores';
import { texts } from './texts';

const words = texts.storeFailed;

export function StoreFailed() {
  const { status, copy } = useStores();
  const problem = useSelected(status, (state) => state.status?.problem ?? words.unknown);
  return (
    <div className="card store-failed" role="alert">
      <Bell size={36} isRinging={false} />
      <h2>{words.title}</h2>
      <p>{words.calm}</p>
      <dl className="facts">
        <dt>{words.what}</dt>
        <dd>{problem}</dd>
      </dl>
      <div>
        <Button icon={Copy} onPress={() => void copy(`${words.title}\n${problem}`, words.copied)}>
          {words.copy}
        </Button>
      </div>
    </div>
  );
}
